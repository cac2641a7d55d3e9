"""Parses what was rendered and says what in it could do harm."""

import re
from html.parser import HTMLParser

OURS = {
    "html", "head", "meta", "title", "style", "body", "main", "header", "nav", "article",
    "video", "audio", "object",
}  # fmt: skip
FOREIGN = {
    "a", "abbr", "b", "bdi", "bdo", "blockquote", "br", "caption", "cite", "code", "col",
    "colgroup", "dd", "del", "details", "dfn", "div", "dl", "dt", "em", "figcaption", "figure",
    "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "img", "ins", "kbd", "li", "mark", "ol", "p",
    "pre", "q", "s", "samp", "small", "span", "strong", "sub", "summary", "sup", "table", "tbody",
    "td", "tfoot", "th", "thead", "tr", "tt", "u", "ul", "var",
}  # fmt: skip
ATTRIBUTES = {
    "class", "id", "href", "src", "alt", "title", "dir", "lang", "rel", "open", "align", "colspan",
    "rowspan", "scope", "start", "width", "height", "charset", "name", "content", "controls",
    "preload", "type", "data",
}  # fmt: skip
PLACES = re.compile(r"https?://|mailto:|/files/|/view\?|\?page=\d+$|#L\d+$")
PICTURES = re.compile(r"data:image/[\w+.-]+;base64,[A-Za-z0-9+/=]+$|/files/")


class Inspector(HTMLParser):
    """Collects everything that is not on the list."""

    def __init__(self):
        super().__init__()
        self.findings = []
        self.styles = []
        self.text = []
        self._in_style = False

    def handle_starttag(self, tag, attrs):
        if tag not in OURS | FOREIGN:
            self.findings.append(f"<{tag}>")
        self._in_style = tag == "style"
        for name, value in attrs:
            if not self._is_fine(tag, name, value or ""):
                self.findings.append(f"<{tag} {name}={value!r}>")

    def handle_endtag(self, tag):
        self._in_style = False

    def handle_data(self, data):
        (self.styles if self._in_style else self.text).append(data)

    def handle_comment(self, data):
        self.findings.append(f"<!--{data}-->")

    def handle_pi(self, data):
        self.findings.append(f"<?{data}>")

    def _is_fine(self, tag, name, value):
        if name not in ATTRIBUTES:
            return False
        if name == "href":
            return tag == "a" and bool(PLACES.match(value))
        if name == "src":
            return tag in {"img", "video", "audio"} and bool(PICTURES.match(value))
        if name == "name":
            return (tag, value) == ("meta", "viewport")
        return True


def inspected(html):
    inspector = Inspector()
    inspector.feed(html)
    inspector.close()
    return inspector
