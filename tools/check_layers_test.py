#!/usr/bin/env python3
"""check_layers.py finds a wrong include, and only that."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
import check_layers  # noqa: E402


class CheckLayersTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = Path(self.folder.name)
        self.write("nn/CMakeLists.txt", "cairn_module(nn DEPENDS backend checkpoint cache)\n")

    def tearDown(self):
        self.folder.cleanup()

    def write(self, name, text):
        path = self.root / "src" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def faults_of(self, name, text):
        self.write(name, text)
        return check_layers.check(self.root)

    def test_own_folder_and_reachable_folders_are_allowed(self):
        text = '#include "nn/a.h"\n#include "base/error.h"\n#include "backend/backend.h"\n'
        self.assertEqual(self.faults_of("nn/a.cpp", text), [])

    def test_upward_include_fails(self):
        faults = self.faults_of("base/a.h", '#pragma once\n#include "tensor/tensor.h"\n')
        self.assertEqual(faults, ['src/base/a.h:2: may not include "tensor/tensor.h"'])

    def test_sideward_include_fails(self):
        self.assertEqual(len(self.faults_of("text/a.cpp", '#include "tensor/tensor.h"\n')), 1)

    def test_a_row_can_open_a_single_file(self):
        self.assertEqual(self.faults_of("nn/a.h", '#include "cache/state_spec.h"\n'), [])
        self.assertEqual(len(self.faults_of("nn/a.h", '#include "cache/page_pool.h"\n')), 1)

    def test_a_test_may_include_what_its_target_links(self):
        self.assertEqual(self.faults_of("nn/a_test.cpp", '#include "cache/page_pool.h"\n'), [])
        self.assertEqual(len(self.faults_of("nn/a_test.cpp", '#include "engine/core.h"\n')), 1)

    def test_a_target_may_not_link_what_it_may_not_include(self):
        text = "cairn_module(base DEPENDS tensor)\n"
        self.assertEqual(self.faults_of("base/CMakeLists.txt", text),
                         ["src/base/CMakeLists.txt: may not link tensor"])

    def test_heavy_headers_stay_out_of_headers(self):
        self.assertEqual(self.faults_of("cli/a.cpp", "#include <CLI/CLI.hpp>\n"), [])
        self.assertEqual(len(self.faults_of("cli/a.h", "#include <CLI/CLI.hpp>\n")), 1)

    def test_an_include_names_its_folder(self):
        self.assertEqual(len(self.faults_of("base/a.cpp", '#include "a.h"\n')), 1)

    def test_an_unknown_folder_fails(self):
        self.assertEqual(len(self.faults_of("misc/a.cpp", "\n")), 1)


if __name__ == "__main__":
    unittest.main()
