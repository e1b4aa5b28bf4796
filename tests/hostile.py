"""Names that would break out of a page if they were not escaped, and a reader that sees whether one did."""

from html.parser import HTMLParser

NAMES = (
    "<!--<script>",
    "</script><script>window.broken = 1</script>",
    "]]><!--",
    "<b>bold</b>",
    "\"' onfocus='window.broken = 1' autofocus x=\"",
    "&lt;b&gt; &amp;quot;",
    "</option></select></div></body>",
    "javascript:window.broken=1",
    "a\u2028b\u2029c",
    "half \udc80 a character",
    "__proto__",
    "10",  # an object of JavaScript would put it first
    "  two  spaces ",
    "\\u003cscript>\\",
    "${window.broken = 1}",
    "*stars* `code` $math$ {role}`x` [link](x) ![image](x) |cell| # \\",
)
"""Of methods, data sets or figures."""


class Reader(HTMLParser):
    """Elements of a page with their attributes, and the texts of each kind of element; all must be closed."""

    def __init__(self, page):
        super().__init__()
        self.elements, self.texts, self.inside = [], {}, []
        self.feed(str(page))
        self.close()
        assert self.inside == []

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in ("input", "br", "hr", "img"):
            self.inside.append(tag)
            self.texts.setdefault(tag, []).append("")

    def handle_endtag(self, tag):
        assert self.inside.pop() == tag

    def handle_data(self, data):
        for tag in set(self.inside):
            self.texts[tag][-1] += data

    def tags(self):
        return [tag for tag, _ in self.elements]

    def handle_comment(self, data):
        raise AssertionError(f"a comment: {data}")


def whole(name):
    """The name as it can be written to a file: half a character cannot."""
    return name.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
