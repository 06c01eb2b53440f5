// SPDX-License-Identifier: Apache-2.0
// Fuzzes the parser of cluster files.
#include <cstdio>
#include <cstdlib>

#include "backend/task/cluster_file.h"
#include "tests/fuzz/fuzz.h"

using namespace divisi::task;

namespace {

std::string key(char letter) { return "\"" + std::string(40, letter) + "\"\n"; }

/// Returns a file with endpoints for each machine, without hosts.
std::string by_endpoints() {
    return "[cluster]\nname = \"lab\"\ntransport = \"tcp\"\norchestrator = \"tcp://10.0.0.1:7600\"\n"
           "orchestrator_key = " +
           key('o') + "metrics = \"127.0.0.1:9464\"\n[[mic]]\nname = \"m\"\n[[mic.node]]\nname = \"n\"\n" +
           "endpoint = \"tcp://10.0.0.2:7610\"\nkey = " + key('a') +
           "memory = \"32 GiB\"\nflops = \"40 TFLOP/s\"\nsecure = true\n[[key]]\nname = \"alice\"\n"
           "role = \"operator\"\npublic = " +
           key('a') +
           "[[link]]\nfrom = \"m/n\"\nto = \"*\"\nlatency = \"0.2 ms\"\nbandwidth = \"1.2 GB/s\"\n"
           "[[pool]]\nname = \"p\"\nnodes = [\"m/*\"]\nshared = true\ninstances = 2\n"
           "[queue]\ndiscipline = \"share\"\n[queue.weights]\nalice = 2\n";
}

/// Returns a file of a mesh on two hosts.
std::string by_hosts() {
    return "[cluster]\ntransport = \"tcp\"\norchestrator = \"tcp://10.0.0.1:7600\"\nhost = \"a\"\n"
           "[[host]]\nname = \"a\"\naddress = \"10.0.0.1\"\n[[host]]\nname = \"b\"\naddress = \"fd77::2\"\n"
           "[[mic]]\nname = \"m\"\n[[mic.node]]\nname = \"n\"\nhost = \"a\"\n[mic.gateway]\nname = \"mg\"\n"
           "host = \"a\"\nlinks = [\"sr\"]\n[[mic]]\nname = \"k\"\n[[mic.node]]\nname = \"n\"\nhost = \"b\"\n"
           "[mic.gateway]\nname = \"kg\"\nhost = \"b\"\nport = 7630\nlinks = [\"sr\"]\n[[router]]\nname = \"sr\"\n"
           "host = \"b\"\nport = 7640\n[[module]]\nname = \"link-trend\"\narguments = [\"--horizon\", \"4\"]\n"
           "host = \"a\"\n";
}

}  // namespace

std::vector<std::string> fuzz_seeds() {
    const std::vector<std::string> seeds{
        by_endpoints(), by_hosts(),
        "[cluster]\nname = \"here\"\norchestrator = \"ipc:///tmp/d/c\"\n[[mic]]\nname = \"m\"\n[[mic.node]]\n"
        "name = \"n\"\nendpoint = \"ipc:///tmp/d/n\"\ndevices = [\"cpu\"]\ncores = 8\n"};
    for (const std::string& seed : seeds)
        if (const auto spec = parse_cluster(seed, "seed"); !spec.ok()) {  // a refused seed would test little
            std::fprintf(stderr, "%s\n", spec.error().message().c_str());
            std::abort();
        }
    return seeds;
}

/// Checks that every accepted file is printed as a file that is accepted and means the same.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto spec = parse_cluster(std::string(reinterpret_cast<const char*>(data), size), "fuzz");
    if (!spec.ok()) {
        if (spec.error().what.empty() || spec.error().where.empty()) std::abort();
        return 0;
    }
    const auto again = parse_cluster(print_cluster(*spec), "printed");
    if (!again.ok() || *again != *spec) {
        std::fprintf(stderr, "%s\n", print_cluster(*spec).c_str());
        std::abort();
    }
    return 0;
}
