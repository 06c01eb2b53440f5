// SPDX-License-Identifier: Apache-2.0
#include "tests/support/test_program.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

namespace divisi::testing {

namespace {

std::map<std::string_view, RunTests>& classes() {
    static std::map<std::string_view, RunTests> known;
    return known;
}

/// Kills all processes whose environment contains `setting`. Returns how many it found.
int kill_processes_with(const std::string& setting) {
    int found = 0;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
        const int pid = std::atoi(entry.path().filename().c_str());
        std::ifstream file(entry.path() / "environ", std::ios::binary);
        if (pid <= 0 || pid == ::getpid() || !file) continue;
        const std::string environment{std::istreambuf_iterator<char>(file), {}};
        if (('\0' + environment).find('\0' + setting + '\0') == std::string::npos) continue;
        ::kill(pid, SIGKILL);
        ++found;
    }
    return found;
}

/// Starts a process that outlives the tests, and that then kills every process that they have started and left behind.
/// A test that is aborted or killed, for example because it exceeds its time, cannot stop its cluster. That cluster
/// would slow down the tests that follow.
void end_processes_with_the_tests() {
    const std::string value = std::to_string(::getpid());
    if (::setenv("DIVISI_TESTS", value.c_str(), 1) != 0) return;
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return;
    const pid_t between = ::fork();
    if (between != 0) {
        ::close(ends[0]);  // ends[1] stays open until this process ends
        if (between > 0) ::waitpid(between, nullptr, 0);
        return;
    }
    // ctest kills the descendants of a test, but spares a grandchild that has its own session.
    ::setsid();
    if (::fork() != 0) ::_exit(0);
    const int nowhere = ::open("/dev/null", O_RDWR);
    for (const int stream : {0, 1, 2}) ::dup2(nowhere, stream);
    ::close(ends[1]);
    char none = 0;
    while (::read(ends[0], &none, 1) > 0) {}
    // A process that is still being started is found in a later round.
    for (int round = 0; round < 100 && kill_processes_with("DIVISI_TESTS=" + value) > 0; ++round) ::usleep(20'000);
    ::_exit(0);
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
        divisi::testing::end_processes_with_the_tests();
        argv[1] = argv[0];  // Qt Test sees only its own options
        return found->second(argc - 1, argv + 1);
    }
    if (argc > 1) std::fprintf(stderr, "%s: no test class is called %s\n", argv[0], argv[1]);
    std::fprintf(stderr, "usage: %s CLASS [Qt Test's options]; the classes are:\n", argv[0]);
    for (const auto& [name, run] : classes()) std::fprintf(stderr, "  %s\n", std::string(name).c_str());
    return 2;
}
