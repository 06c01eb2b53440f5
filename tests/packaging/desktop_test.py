#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the files that a desktop reads: entry, AppStream metainfo, MIME types, icon. If a validator is not installed,
its test is skipped with a message."""
import configparser
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as xml

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DESKTOP = ROOT / "packaging/desktop"
ENTRY, METAINFO, MIME = DESKTOP / "divisi.desktop", DESKTOP / "divisi.metainfo.xml", DESKTOP / "divisi-mime.xml"
ICON = ROOT / "resources/icons/app.svg"
NAMESPACE = "{http://www.freedesktop.org/standards/shared-mime-info}"


def run(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True)


def needs(tool, package):
    return unittest.skipUnless(shutil.which(tool), f"{tool} is not installed (package {package})")


def entry():
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str
    parser.read(ENTRY, encoding="utf-8")
    return parser["Desktop Entry"]


def types_of(key):
    return [word for word in key.split(";") if word]


class Desktop(unittest.TestCase):
    @needs("desktop-file-validate", "desktop-file-utils")
    def test_entry_is_valid(self):
        done = run("desktop-file-validate", ENTRY)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stdout)

    @needs("appstreamcli", "appstream")
    def test_metainfo_is_valid(self):
        done = run("appstreamcli", "validate", "--no-net", METAINFO)
        self.assertEqual(done.returncode, 0, done.stdout)

    @needs("update-mime-database", "shared-mime-info")
    def test_mime_types_are_taken(self):
        with tempfile.TemporaryDirectory(prefix="divisi-mime-") as folder:
            mime = pathlib.Path(folder) / "mime"
            (mime / "packages").mkdir(parents=True)
            shutil.copy(MIME, mime / "packages/divisi.xml")
            done = run("env", f"XDG_DATA_HOME={folder}", "update-mime-database", mime)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            globs = (mime / "globs2").read_text()
        self.assertIn(":application/vnd.divisi.recording:*.divisirec\n", globs)
        self.assertIn("60:application/vnd.divisi.task+toml:*.divisi.toml\n", globs)

    def test_what_the_entry_opens_is_described(self):
        """Checks that every MIME type of Divisi in the entry is described, and that AppStream names the same types."""
        described = {node.get("type") for node in xml.parse(MIME).getroot().iter(NAMESPACE + "mime-type")}
        opened = {name for name in types_of(entry()["MimeType"]) if "vnd." in name}
        provided = {node.text for node in xml.parse(METAINFO).getroot().iter("mediatype")}
        self.assertEqual(opened, described)
        self.assertEqual(provided, described)

    def test_metainfo_knows_this_version(self):
        version = re.search(r'version = "([0-9.]+)"', (ROOT / "backend/base/version.h").read_text()).group(1)
        releases = [node.get("version") for node in xml.parse(METAINFO).getroot().iter("release")]
        self.assertEqual(releases[0], version, "add the release to packaging/desktop/divisi.metainfo.xml")

    def test_metainfo_starts_this_entry(self):
        launchable = xml.parse(METAINFO).getroot().find("launchable")
        self.assertEqual(launchable.text, ENTRY.name)

    def test_icon_is_square_and_needs_nothing_else(self):
        icon = xml.parse(ICON).getroot()
        left, top, width, height = (float(word) for word in icon.get("viewBox").split())
        self.assertEqual((left, top, width), (0, 0, height))
        self.assertNotRegex(ICON.read_text(), r"<image|href=|currentColor")


class Installed(unittest.TestCase):
    def test_every_file_is_installed(self):
        rules = (ROOT / "packaging/cmake/DivisiPackage.cmake").read_text()
        for file in (ENTRY, METAINFO, MIME):
            self.assertIn(f"desktop/{file.name}", rules)
        self.assertIn("icons/app.svg", rules)

    def test_the_icons_name_is_the_entrys(self):
        rules = (ROOT / "packaging/cmake/DivisiPackage.cmake").read_text()
        self.assertIn(f"RENAME {entry()['Icon']}.svg", rules)


if __name__ == "__main__":
    unittest.main(verbosity=1)
