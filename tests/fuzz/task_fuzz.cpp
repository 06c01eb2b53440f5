// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>

#include "backend/task/cluster_file.h"
#include "backend/task/parse.h"
#include "tests/fuzz/fuzz.h"

using namespace divisi::task;

std::vector<std::string> fuzz_seeds() {
    const std::string key(40, 'a');
    return {
        "[task]\nname = \"t\"\n[model]\nzoo = \"gpt\"\nlayers = 4\nfrozen = [\"a*\"]\n[model.symbols]\nb = 4\n"
        "[model.inputs]\n\"in.1\" = \"x\"\n[data]\nkind = \"text\"\npath = \"t.txt\"\nvalidation_share = 0.1\n"
        "[train]\nsteps = 20\nbatch = 16\nmicrobatches = 4\nlr = 1e-3\neval_every = 5\nrecompute = true\n"
        "[split]\ncuts = [3, \"/layers/2/Add\"]\n[place]\ndevice = \"cuda:1\"\n",
        "[cluster]\nname = \"lab\"\ntransport = \"tcp\"\norchestrator = \"tcp://10.0.0.1:7600\"\n"
        "orchestrator_key = \"" +
            std::string(40, 'o') +
            "\"\n[[mic]]\nname = \"m\"\n[[mic.node]]\nname = \"n\"\n"
            "endpoint = \"tcp://10.0.0.2:7610\"\nkey = \"" +
            key +
            "\"\nmemory = \"32 GiB\"\n"
            "[[key]]\nname = \"alice\"\nrole = \"operator\"\npublic = \"" +
            key + "\"\n[[link]]\nfrom = \"m/n\"\nto = \"*\"\nlatency = \"0.2 ms\"\nbandwidth = \"1.2 GB/s\"\n",
    };
}

/// Whatever is accepted prints to a file that is accepted and means the same.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    if (const auto spec = parse_task(text, "fuzz"); spec.ok()) {
        const auto again = parse_task(print_task(*spec), "printed");
        if (!again.ok() || *again != *spec) {
            std::fprintf(stderr, "%s\n", print_task(*spec).c_str());
            std::abort();
        }
    }
    if (const auto spec = parse_cluster(text, "fuzz"); spec.ok()) {
        const auto again = parse_cluster(print_cluster(*spec), "printed");
        if (!again.ok() || *again != *spec) {
            std::fprintf(stderr, "%s\n", print_cluster(*spec).c_str());
            std::abort();
        }
    }
    return 0;
}
