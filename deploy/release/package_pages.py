"""The page of a package in a registry: its README, for readers who do not have the repository.

In the repository the links of a README are relative. In a release they lead to the files of its tag where
the repository is public (`REPOSITORY=https://... make release`, or the remote `origin`), and otherwise are
plain text.
"""

import os
import posixpath
import re

from deploy.release.commands import ReleaseError, run

PACKAGES = ("engine", "clients/python", "service", "gym", "hunts", "clients/mcp", "clients/typescript")
"""The folders of the packages."""

_LINK = re.compile(r"\[([^\]]+)\]\((?!https?:|#|mailto:)([^)#\s]+)(#[^)]*)?\)")


def repository(root):
    """Return the address of the public repository without a slash at its end, None if there is none."""
    address = os.environ.get("REPOSITORY") or _origin(root)
    if address is None:
        return None
    if not re.fullmatch(r"https://[\w.-]+(/[\w.-]+)+?(\.git)?/?", address):
        raise ReleaseError(f"REPOSITORY is no address that starts with https://: {address}")
    return address.rstrip("/").removesuffix(".git")


def _origin(root):
    try:
        address = run("git", "remote", "get-url", "origin", cwd=root).strip()
    except ReleaseError:  # there is no such remote
        return None
    return address if address.startswith("https://") else None


def publish(folder, address, number):
    """Write the links of all package pages in an exported copy, and the address into the packages.

    :param address: of the public repository; None for none.
    """
    for package in PACKAGES:
        page = folder / package / "README.md"
        page.write_text(published(page.read_text(), package, address, number))
        project = page.with_name("pyproject.toml")
        if address and project.exists():
            project.write_text(project.read_text() + _urls(address, number))


def published(text, package, address, number):
    """Return a README whose links do not need the repository around it.

    :param package: the folder of the package.
    """

    def link(found):
        text, path, part = found.groups()
        if address is None:
            return text
        full = posixpath.normpath(posixpath.join(package, path))
        return f"[{text}]({address}/blob/v{number}/{full}{part or ''})"

    return _LINK.sub(link, text)


def _urls(address, number):
    changes = f"{address}/blob/v{number}/CHANGELOG.md"
    urls = {"Repository": address, "Changelog": changes, "Issues": f"{address}/issues"}
    return "\n[project.urls]\n" + "".join(f'{name} = "{url}"\n' for name, url in urls.items())


def check(name, page):
    """Check that a page needs nothing of the repository.

    :raises ReleaseError: if it has a relative link, or a command that works in a checkout only.
    """
    if found := _LINK.search(page) or re.search(r"(?:pip|npm) install \S*\./\S+", page):
        raise ReleaseError(f"{name}: the page of the package needs the repository: {found[0]}")
