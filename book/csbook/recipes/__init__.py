"""What chapters show that a reader may want as well."""
