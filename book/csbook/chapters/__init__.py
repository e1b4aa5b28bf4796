"""Tools of the book's chapters: numbers in prose, figures with data, verdicts, one form of notebooks."""
