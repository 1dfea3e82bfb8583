"""Follow every link of the built pages to another page, a file, or a place on a page.

    python doc/check_links.py doc/_build

It needs no network, and neither may the pages: links to other sites are left alone, and a
script, style or picture of another site is told. The exit code is 0 where all is well, 1
where it is not, and 2 where there are no pages.
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

PAGE = ".html"


class _Page(HTMLParser):
    """What a page links, and the places that it has."""

    def __init__(self):
        super().__init__()
        self.links = []
        self.fetched = set()
        self.places = {"", "top"}

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.places |= {attrs[name] for name in ("id", "name") if attrs.get(name)}
        link = attrs.get("href") if tag in ("a", "link") else attrs.get("src")
        if link:
            self.links.append(link)
            if tag != "a" and attrs.get("rel") not in ("canonical", "alternate"):
                self.fetched.add(link)


def broken_links(root):
    """The number of pages below a folder, and a line for each link that leads nowhere."""
    pages, root = {}, root.resolve()
    for path in sorted(root.rglob(f"*{PAGE}")):
        if "_static" in path.relative_to(root).parts:
            continue  # templates of the theme
        pages[path] = _Page()
        pages[path].feed(path.read_text(encoding="utf-8"))
    broken = []
    for path, page in pages.items():
        for link in sorted(set(page.links)):
            if fault := _fault(link, path, root, pages):
                broken.append(f"{path.relative_to(root).as_posix()}: {link} ({fault})")
    return len(pages), broken


def _fault(link, path, root, pages):
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        elsewhere = link in pages[path].fetched and parts.scheme != "data"
        return "fetched from another site" if elsewhere else None
    base = root if parts.path.startswith("/") else path.parent
    name = unquote(parts.path).lstrip("/")
    # As a page may be opened from a disk, a folder is no link to the index in it.
    target = (base / name).resolve() if name else path
    known = pages.get(target)
    if known is None:
        is_page = not target.suffix or target.suffix == PAGE
        if target.is_file():
            return None
        return "no such page" if is_page else "no such file"
    # A browser finds a place by its name as it stands, or decoded.
    if {parts.fragment, unquote(parts.fragment)} & known.places:
        return None
    return "no such place"


def main(arguments):
    """Print what is broken, and the sum of it."""
    if len(arguments) != 1:
        print(__doc__)
        return 2
    n_pages, broken = broken_links(Path(arguments[0]))
    for line in broken:
        print(line)
    print(f"{n_pages} pages, {len(broken)} broken links")
    if not n_pages:
        return 2
    return 1 if broken else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
