"""What a person sees of the files of a sandbox in a notebook: %view of every kind, diffs, lists."""

import io
import math
import re
import struct
import wave
from base64 import b64encode

import pytest
from playwright.sync_api import expect

from tests.core.rendering.examples import EXAMPLES, code_cell, output
from tests.core.rendering.examples import notebook as ipynb
from tests.ui.test_cells import ask, notebook, picture  # noqa: F401

pytestmark = [pytest.mark.ui, pytest.mark.timeout(240)]

FOLDER = "gallery"
SVG = """<svg xmlns="http://www.w3.org/2000/svg" width="160" height="100">
<rect width="160" height="100" fill="#2b6cb0" rx="12"/><circle cx="80" cy="50" r="30" fill="#fff"/>
<script>document.title = 'attacked'</script></svg>"""
MARKDOWN = """# Results

Some *text*, a [link](data.json) and a list:

1. first
2. second <script>document.title = 'attacked'</script>

| name | count |
|------|------:|
| one  |     1 |

```python
def f(x):
    return x + 1
```
"""
PYTHON = '''"""A module."""

import os


def main(names: list[str]) -> int:
    """Say hello."""
    for name in names:  # each of them
        print(f"Hello, {name}!", 42)
    return os.getpid()
'''
CSV = "city,people,share\n" + "".join(f"Town {n},{n * 1000},{n / 7:.3f}\n" for n in range(1, 1300))
PDF = b"""%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 120]/Contents 4 0 R
/Resources<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>endobj
4 0 obj<</Length 40>>stream
BT /F 28 Tf 40 50 Td (A document) Tj ET
endstream endobj
trailer<</Root 1 0 R>>
%%EOF
"""


def sound():
    file = io.BytesIO()
    with wave.open(file, "wb") as made:
        made.setnchannels(1)
        made.setsampwidth(2)
        made.setframerate(8000)
        made.writeframes(
            b"".join(struct.pack("<h", int(9000 * math.sin(n / 4))) for n in range(8000))
        )
    return file.getvalue()


CELLS = [
    code_cell("print(6 * 7)", {"output_type": "stream", "name": "stdout", "text": "42\n"}),
    code_cell("plot()", output(**{"image/png": picture(120, 60)})),
]
FILES = {
    **EXAMPLES,
    "picture.png": picture(320, 120),
    "drawing.svg": SVG,
    "paper.pdf": PDF,
    "sound.wav": sound(),
    "README.md": MARKDOWN,
    "table.csv": CSV,
    "code.py": PYTHON,
    "work.ipynb": ipynb(*CELLS),
    'it\'s <b>odd & "quoted".txt': "only words\n",
}
ODD = "%view 'it'\\''s <b>odd & \"quoted\".txt'"
KINDS = {
    "picture.png": "img[src^='data:image/png']",
    "drawing.svg": ".sandbook-view img[src^='data:image/svg+xml']",
    "paper.pdf": ".sandbook-view .sb-card a[href*='/files/workspace/gallery/paper.pdf']",
    "film.mp4": ".sandbook-view video[src*='/files/workspace/gallery/film.mp4']",
    "sound.wav": ".sandbook-view audio[src*='/files/workspace/gallery/sound.wav']",
    "README.md": ".sandbook-view .sb-prose h1",
    "table.csv": ".sandbook-view .sb-table td",
    "data.json": ".sandbook-view .sb-tree",
    "work.ipynb": ".sandbook-view .sb-cell",
    "code.py": ".sandbook-view .sb-code .sb-keyword",
    "page.html": ".sandbook-view h1",
    "many.zip": ".sandbook-view .sb-files",
    "many.tar.gz": ".sandbook-view .sb-files",
    "blob.bin": ".sandbook-view pre",
}


@pytest.fixture
def gallery(lab):
    ask(lab, "PUT", f"api/contents/{FOLDER}", {"type": "directory"})
    for name, content in FILES.items():
        data = content.encode() if isinstance(content, str) else content
        model = {"type": "file", "format": "base64", "content": b64encode(data).decode()}
        if name == "picture.png":
            model["content"] = content
        path = "".join(f"%{byte:02x}" for byte in name.encode())
        ask(lab, "PUT", f"api/contents/{FOLDER}/{path}", model)


@pytest.fixture
def picture_of(pytestconfig):
    """Saves one output for people to look at."""
    folder = pytestconfig.rootpath / ".build" / "screenshots"
    folder.mkdir(parents=True, exist_ok=True)

    def save(output, name):
        output.scroll_into_view_if_needed()
        output.screenshot(path=folder / f"{name}.png")

    return save


def test_every_kind_of_file_is_shown_below_the_cell(gallery, notebook, page, picture_of):  # noqa: F811
    codes = [f"%view {name}" for name in KINDS]
    opened = notebook(f"cd {FOLDER}", *codes, "%view .", "%view code.py 6:8", ODD)
    for number, name in enumerate(["", *KINDS, "folder", "lines", "odd"]):
        opened.cell(number).scroll_into_view_if_needed()
        opened.run(number)
        opened.expect_end(number)
        if number:
            picture_of(opened.output(number), f"view-{name}")
        if name in KINDS:
            expect(opened.output(number).locator(KINDS[name]).first).to_be_visible()
    last = len(KINDS) + 1

    expect(opened.output(last)).to_contain_text("code.py")
    link = opened.output(last).get_by_role("link", name="code.py", exact=True)
    address = re.compile(r"^/sandbook/[\w-]+/view\?path=/workspace/gallery/code\.py$")
    expect(link).to_have_attribute("href", address)
    expect(opened.output(last + 1)).not_to_contain_text("import os")
    expect(opened.output(last + 1)).to_contain_text("each of them")
    expect(opened.output(last + 2).locator("b")).to_have_count(0)
    assert "attacked" not in page.title()


def test_an_edit_shows_its_diff_in_colours(notebook, page, picture_of):  # noqa: F811
    opened = notebook(
        "%%edit hello.py\n" + PYTHON,
        "%%edit hello.py\n" + PYTHON.replace("Hello", "Good day").replace("import os\n\n", ""),
        "%edit hello.py --undo",
        "%ls -l",
        "%view nothing.txt",
        "%edit hello.py",
    )
    tabs = page.locator("#jp-main-dock-panel .lm-TabBar-tab")
    for number in range(6):
        opened.cell(number).scroll_into_view_if_needed()
        opened.run(number)
        opened.expect_end(number)
        if number == 5:
            expect(tabs.filter(has_text="hello.py")).to_be_visible()  # in front of the notebook
            tabs.filter(has_text=".ipynb").click()
        picture_of(opened.output(number), f"edit-{number}")

    expect(opened.output(0)).to_contain_text("created")
    expect(opened.output(1).locator(".sb-inserted")).to_contain_text("Good day")
    expect(opened.output(1).locator(".sb-deleted").first).to_contain_text("import os")
    expect(opened.output(2)).to_contain_text("undone")
    expect(opened.output(3).locator("svg.sb-icon").first).to_be_visible()
    expect(opened.output(4)).to_contain_text("The sandbox has no '/workspace/nothing.txt'")
    expect(opened.output(5)).to_contain_text("is opened in the editor")
