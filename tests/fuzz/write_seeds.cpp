// SPDX-License-Identifier: Apache-2.0
// Writes the seeds as files for libFuzzer, which starts from the files of a folder. DIVISI_FUZZ_SEEDS names the folder
// to write to.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerInitialize(int*, char***) {
    const char* folder = std::getenv("DIVISI_FUZZ_SEEDS");
    if (folder == nullptr) return 0;
    std::filesystem::create_directories(folder);
    int number = 0;
    for (const std::string& seed : fuzz_seeds())
        std::ofstream(std::filesystem::path(folder) / ("seed-" + std::to_string(++number)), std::ios::binary) << seed;
    return 0;
}
