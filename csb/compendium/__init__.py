"""What the book needs: theory, studies, tools of the chapters. Nothing else of the package imports it."""
