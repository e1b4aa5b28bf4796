"""Scripts move from a built page into files, and nothing else of the page changes."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

pytestmark = pytest.mark.filterwarnings("error")

PAGE = """<!DOCTYPE html>
<html><head><title>a &lt; b &amp c</title>
  <script data-x="1">let a = "</p>" && 1 < 2;</script>
  <script src="there.js" defer></script><script type="application/json">{"a":1}</script>
  <script type="module">
    b()
  </script>
</head><body class='x'>
<!-- <script>not(a)</script> -->
<p title="c onclick='d' e">onclick="f" <pre> onclick="g"
</pre></p>
<button class="h" onClick="i(&quot;j&quot;)" title='k "l"' disabled>m</button><a onclick='i("j")' href=x>n</a>
<script>let a = "</p>" && 1 < 2;</script>
</body></html>
"""

MOVED = """<!DOCTYPE html>
<html><head><title>a &lt; b &amp c</title>
  <script src="FOLDER/A.js"></script>
  <script src="there.js" defer></script><script type="application/json">{"a":1}</script>
  <script type="module" src="FOLDER/B.js"></script>
</head><body class='x'>
<!-- <script>not(a)</script> -->
<p title="c onclick='d' e">onclick="f" <pre> onclick="g"
</pre></p>
<button class="h" data-click="MARK" title='k "l"' disabled>m</button><a data-click="MARK" href=x>n</a>
<script src="FOLDER/A.js"></script>
<script src="FOLDER/C.js"></script></body></html>
"""


@pytest.fixture
def scripts(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[3] / "book" / "_ext"))
    import scripts

    yield scripts
    del sys.modules["scripts"]


@pytest.fixture
def move(scripts, tmp_path):
    app = SimpleNamespace(builder=SimpleNamespace(format="html"), outdir=tmp_path)
    return lambda: scripts.move_scripts(app, None)


@pytest.mark.parametrize("place, up", [("page.html", ""), ("one/two/page.html", "../../")])
def test_page_loads_its_scripts_from_files(move, tmp_path, place, up):
    page = tmp_path / place
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(PAGE, "utf-8")
    move()
    files = {path.read_text("utf-8"): path.stem for path in (tmp_path / "_static").rglob("*.js")}
    (handler,) = [text for text in files if "addEventListener" in text]
    assert set(files) == {'let a = "</p>" && 1 < 2;', "\n    b()\n  ", handler}
    mark = handler.split("data-click='")[1][:16]
    assert handler == (
        f"for (const each of document.querySelectorAll(\"[data-click='{mark}']\"))\n"
        '  each.addEventListener("click", function (event) { i("j") });\n'
    )
    names = dict(zip(("A", "B", "C"), ('let a = "</p>" && 1 < 2;', "\n    b()\n  ", handler), strict=True))
    wanted = MOVED.replace("FOLDER", f"{up}_static/scripts-of-pages").replace("MARK", mark)
    for letter, text in names.items():
        wanted = wanted.replace(f"/{letter}.js", f"/{files[text]}.js")
    assert page.read_text("utf-8") == wanted


def test_a_second_time_nothing_changes(move, tmp_path):
    page = tmp_path / "page.html"
    page.write_text(PAGE, "utf-8")
    move()
    first = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    move()
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == first


def test_templates_of_the_theme_and_failed_builds_are_left_alone(scripts, move, tmp_path):
    (tmp_path / "_static").mkdir()
    template, page = tmp_path / "_static" / "macros.html", tmp_path / "page.html"
    template.write_text(PAGE, "utf-8")
    move()
    page.write_text(PAGE, "utf-8")
    scripts.move_scripts(SimpleNamespace(builder=SimpleNamespace(format="html"), outdir=tmp_path), KeyError())
    assert template.read_text("utf-8") == page.read_text("utf-8") == PAGE
