"""What the book needs beside ``csb``: tools of its chapters, studies, theory, data sets and records."""
