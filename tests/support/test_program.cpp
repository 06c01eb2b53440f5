// SPDX-License-Identifier: Apache-2.0
#include "tests/support/test_program.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

namespace divisi::testing {

namespace {

std::map<std::string_view, RunTests>& classes() {
    static std::map<std::string_view, RunTests> known;
    return known;
}

}  // namespace

TestClass::TestClass(std::string_view name, RunTests run) {
    if (classes().emplace(name, run).second) return;
    std::fprintf(stderr, "two test classes are called %s; rename one of them\n", std::string(name).c_str());
    std::abort();
}

}  // namespace divisi::testing

int main(int argc, char** argv) {
    using divisi::testing::classes;
    const auto found = argc > 1 ? classes().find(argv[1]) : classes().end();
    if (found != classes().end()) {
        argv[1] = argv[0];  // Qt Test sees its own options alone
        return found->second(argc - 1, argv + 1);
    }
    if (argc > 1) std::fprintf(stderr, "%s: no test class is called %s\n", argv[0], argv[1]);
    std::fprintf(stderr, "usage: %s CLASS [Qt Test's options]; the classes are:\n", argv[0]);
    for (const auto& [name, run] : classes()) std::fprintf(stderr, "  %s\n", std::string(name).c_str());
    return 2;
}
