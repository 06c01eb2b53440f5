#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests which LibTorch a build uses, how it is linked, and how packaging/setup installs and removes one."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
COMPILER = os.environ.get("CXX", "c++")

PROJECT = f"""
cmake_minimum_required(VERSION 3.25)
project(which_libtorch LANGUAGES CXX)
list(APPEND CMAKE_MODULE_PATH "{ROOT}/packaging/cmake")
include(DivisiTorch)
add_executable(main main.cpp)
target_link_libraries(main PRIVATE divisi::torch)
"""
MAIN = "#include <ATen/fake.h>\n#include <torch/version.h>\nint main() { return fake_tensor(); }\n"

# Replaces the wheel's own file, which fails without a CUDA toolkit, and in another way without a GPU.
WHEEL_CONFIG = 'message(FATAL_ERROR "the own configuration of a LibTorch 2 was read")\n'
OLD_CONFIG = """
if(NOT DEFINED TORCH_CUDA_ARCH_LIST)
  message(FATAL_ERROR "it would probe for a GPU")
endif()
set(TORCH_LIBRARIES "${CMAKE_CURRENT_LIST_DIR}/../../../lib/libtorch_cpu.so")
include_directories("${CMAKE_CURRENT_LIST_DIR}/../../../include"
  "${CMAKE_CURRENT_LIST_DIR}/../../../include/torch/csrc/api/include")
"""
VERSION_FILE = """
set(PACKAGE_VERSION "{version}")
set(PACKAGE_VERSION_COMPATIBLE TRUE)
"""


def write(path, text, mode=0o644):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


def run(command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="divisi-libtorch-"))
        self.addCleanup(shutil.rmtree, self.folder)


class Configure(Folder):
    def libtorch(self, version, config):
        """Creates a tree with the structure of a LibTorch, whose library needs a CUDA library that does not exist."""
        prefix = self.folder / f"torch-{version}"
        write(prefix / "share/cmake/Torch/TorchConfig.cmake", config)
        write(prefix / "share/cmake/Torch/TorchConfigVersion.cmake", VERSION_FILE.format(version=version))
        write(prefix / "include/ATen/fake.h", "int fake_tensor();\n")
        write(prefix / "include/torch/csrc/api/include/torch/version.h", "\n")
        profiler = write(prefix / "profiler.cpp", "int fake_profiler() { return 0; }\n")
        tensor = write(prefix / "tensor.cpp", "int fake_profiler();\nint fake_tensor() { return fake_profiler(); }\n")
        (prefix / "lib").mkdir()
        for library, source in (("libcupti.so", profiler), ("libc10.so", profiler), ("libtorch_cuda.so", profiler)):
            self.shared(prefix / "lib" / library, source)
        self.shared(prefix / "lib/libtorch_cpu.so", tensor, "-Wl,--no-as-needed", prefix / "lib/libcupti.so")
        if version.startswith("2"):
            (prefix / "lib/libcupti.so").unlink()
        return prefix

    def shared(self, library, *arguments):
        done = run([COMPILER, "-shared", "-fPIC", f"-Wl,-soname,{library.name}", "-o", library, *arguments])
        self.assertEqual(done.returncode, 0, done.stderr)

    def configure(self, *options):
        source = self.folder / "project"
        write(source / "CMakeLists.txt", PROJECT)
        write(source / "main.cpp", MAIN)
        build = self.folder / "build"
        shutil.rmtree(build, ignore_errors=True)
        done = run(["cmake", "-S", source, "-B", build, *options])
        done.messages = " ".join((done.stdout + done.stderr).split())
        return done, build

    def check_built(self, done, build):
        self.assertEqual(done.returncode, 0, done.messages)
        built = run(["cmake", "--build", build])
        self.assertEqual(built.returncode, 0, built.stdout + built.stderr)
        needed = run(["readelf", "-d", build / "main"]).stdout
        self.assertIn("[libtorch_cpu.so]", needed)
        self.assertNotIn("[libtorch_cuda.so]", needed, "CUDA is loaded only when a task asks for it")

    def test_wheel_by_its_folder(self):
        prefix = self.libtorch("2.15.0", WHEEL_CONFIG)
        done, build = self.configure(f"-DDIVISI_LIBTORCH={prefix}")
        self.check_built(done, build)
        self.assertIn("LibTorch: 2.15.0", done.messages)

    def test_archive_by_prefix_path(self):
        done, build = self.configure(f"-DCMAKE_PREFIX_PATH={self.libtorch('2.12.1', WHEEL_CONFIG)}")
        self.check_built(done, build)

    def test_version_1_by_its_own_configuration(self):
        prefix = self.libtorch("1.13.0", OLD_CONFIG)
        done, build = self.configure(f"-DCMAKE_PREFIX_PATH={prefix}")
        self.check_built(done, build)
        self.assertIn("LibTorch: 1.13.0, the system's", done.messages)

    def test_too_old_a_wheel_is_refused(self):
        done, _ = self.configure(f"-DDIVISI_LIBTORCH={self.libtorch('2.6.0', WHEEL_CONFIG)}")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("LibTorch 2.6.0", done.messages)
        self.assertIn("packaging/setup --libtorch2", done.messages)

    def test_a_folder_without_libtorch_is_refused(self):
        done, _ = self.configure(f"-DDIVISI_LIBTORCH={self.folder}")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("is not a LibTorch", done.messages)
        self.assertIn("packaging/setup --libtorch2", done.messages)


# Acts as `python3 -m pip install ... --target FOLDER ... REQUIREMENT` and records its arguments.
PIP = """#!/usr/bin/env bash
printf '%s\\n' "$*" >>"$PIP_LOG"
while (($#)); do
  [[ $1 == --target ]] && folder=$2
  last=$1
  shift
done
[[ $last == torch==9.9.9 ]] && exit 1
[[ $last == torch* ]] || exit 0
version=${last#torch==}
[[ $version == torch ]] && version=2.15.0
mkdir -p "$folder/torch" "$folder/torch-$version.dist-info"
printf "__version__ = '%s+cu132'\\n" "$version" >"$folder/torch/version.py"
printf 'Requires-Dist: cuda-toolkit[cublas,cudart,cupti]==13.2.2; platform_system == "Linux"\\n' \\
  >"$folder/torch-$version.dist-info/METADATA"
"""
CMAKE = '#!/usr/bin/env bash\nprintf \'%s\\n\' "$*" >>"$CMAKE_LOG"\n'


class Scripts(Folder):
    def setUp(self):
        super().setUp()
        for script in ("setup", "build"):
            (self.folder / "packaging").mkdir(exist_ok=True)
            shutil.copy(ROOT / "packaging" / script, self.folder / "packaging" / script)
        tools = self.folder / "tools"
        write(tools / "python3", PIP, 0o755)
        write(tools / "cmake", CMAKE, 0o755)
        write(tools / "dpkg-query", "#!/bin/sh\nprintf installed\n", 0o755)
        self.pip_log, self.cmake_log = self.folder / "pip.log", self.folder / "cmake.log"
        self.environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "PIP_LOG": str(self.pip_log),
                            "CMAKE_LOG": str(self.cmake_log)}
        for setting in ("DIVISI_LIBTORCH", "DIVISI_UNITY"):
            self.environment.pop(setting, None)

    def script(self, name, *arguments):
        return run([self.folder / "packaging" / name, *arguments], env=self.environment, cwd="/")

    def setup(self, *arguments):
        done = self.script("setup", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def asked(self):
        return self.pip_log.read_text().splitlines() if self.pip_log.exists() else []

    def taken(self):
        """Returns the LibTorch with which packaging/build configures."""
        self.cmake_log.unlink(missing_ok=True)
        done = self.script("build", "headless")
        self.assertEqual(done.returncode, 0, done.stderr)
        configure = self.cmake_log.read_text().splitlines()[0]
        return configure.split("-DDIVISI_LIBTORCH=")[1]

    @unittest.skipIf(os.path.exists("/dev/nvidia0"), "with a GPU all of CUDA is brought")
    def test_brings_the_processors_part_once(self):
        self.assertIn("packaging/setup --libtorch1", self.setup("--libtorch2"))
        first = self.asked()
        self.assertTrue(first[0].endswith("--no-deps torch"), first)
        self.assertTrue(first[1].endswith("cuda-toolkit[cudart,cupti]==13.2.2"), first)
        self.assertIn("LibTorch 2.15.0 is in", self.setup("--libtorch2"))
        self.assertEqual(self.asked(), first)

    def test_a_version_replaces_another(self):
        self.setup("--libtorch2=2.11.0")
        self.assertIn("LibTorch 2.12.0 is in", self.setup("--headless", "--libtorch2=2.12.0"))
        self.assertEqual(sorted(path.name for path in (self.folder / "build/libtorch2").glob("torch-*")),
                         ["torch-2.12.0.dist-info"])

    def test_a_failed_download_keeps_what_was_there(self):
        self.setup("--libtorch2=2.11.0")
        failed = self.script("setup", "--libtorch2=9.9.9")
        self.assertEqual(failed.returncode, 1)
        self.assertIn("torch==9.9.9", failed.stderr)
        self.assertTrue(self.taken().endswith("build/libtorch2/torch"))

    def test_build_follows_setup_and_goes_back(self):
        self.assertEqual(self.taken(), "")
        self.setup("--libtorch2")
        self.assertEqual(self.taken(), f"{self.folder}/build/libtorch2/torch")
        self.environment["DIVISI_LIBTORCH"] = "/elsewhere"
        self.assertEqual(self.taken(), "/elsewhere")
        del self.environment["DIVISI_LIBTORCH"]
        self.setup("--libtorch1")
        self.assertEqual(self.taken(), "")

    def test_unknown_options_are_refused(self):
        done = self.script("setup", "--libtorch3")
        self.assertEqual(done.returncode, 1)
        self.assertIn("--libtorch2", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=1)
