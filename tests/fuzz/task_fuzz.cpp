// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>

#include "backend/task/parse.h"
#include "tests/fuzz/fuzz.h"

using namespace divisi::task;

std::vector<std::string> fuzz_seeds() {
    return {
        "[task]\nname = \"t\"\n[model]\nzoo = \"gpt\"\nlayers = 4\nfrozen = [\"a*\"]\n[model.symbols]\nb = 4\n"
        "[model.inputs]\n\"in.1\" = \"x\"\n[data]\nkind = \"text\"\npath = \"t.txt\"\nvalidation_share = 0.1\n"
        "[train]\nsteps = 20\nbatch = 16\nmicrobatches = 4\nlr = 1e-3\neval_every = 5\nrecompute = true\n"
        "[split]\ncuts = [3, \"/layers/2/Add\"]\n[place]\ndevice = \"cuda:1\"\n"
        "[checkpoint]\nevery = 5\nkeep = 3\n[faults]\nanswer = \"fail\"\n",
    };
}

/// Checks that every accepted file is printed as a file that is accepted and means the same.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    if (const auto spec = parse_task(text, "fuzz"); spec.ok()) {
        const auto again = parse_task(print_task(*spec), "printed");
        if (!again.ok() || *again != *spec) {
            std::fprintf(stderr, "%s\n", print_task(*spec).c_str());
            std::abort();
        }
    }
    return 0;
}
