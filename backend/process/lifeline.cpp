// SPDX-License-Identifier: Apache-2.0
#include "backend/process/lifeline.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

namespace divisi::process {
namespace {

int lifeline_fd() {
    const char* text = std::getenv(lifeline_variable);
    if (!text) return -1;
    const int fd = std::atoi(text);
    // Children of this process get their own lifeline.
    ::unsetenv(lifeline_variable);
    return fd > 2 && ::fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 ? fd : -1;
}

const char* wait_for_reason(int signals, int lifeline) {
    while (true) {
        pollfd waiting[2] = {{signals, POLLIN, 0}, {lifeline, POLLIN, 0}};
        if (::poll(waiting, lifeline >= 0 ? 2 : 1, -1) <= 0) continue;
        if (waiting[0].revents) {
            signalfd_siginfo info{};
            if (::read(signals, &info, sizeof info) != sizeof info) continue;
            if (info.ssi_signo == SIGINT) return "interrupted";
            return info.ssi_signo == SIGHUP ? "hung up" : "terminated";
        }
        if (waiting[1].revents) return "the parent ended";
    }
}

/// Returns whether the signal was already ignored when this process started. nohup starts programs in this state, and
/// so does a shell without job control that starts a background program.
bool is_ignored(int signal) {
    struct sigaction inherited {};
    return signal != SIGTERM && ::sigaction(signal, nullptr, &inherited) == 0 && inherited.sa_handler == SIG_IGN;
}

}  // namespace

void on_stop(std::function<void(const char* reason)> stop, int hard_limit_s) {
    sigset_t stopping;
    sigemptyset(&stopping);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP})
        if (!is_ignored(signal)) sigaddset(&stopping, signal);
    ::pthread_sigmask(SIG_BLOCK, &stopping, nullptr);
    for (const int signal : {SIGPIPE, SIGXFSZ}) ::signal(signal, SIG_IGN);  // the failing call returns an error
    const int signals = ::signalfd(-1, &stopping, SFD_CLOEXEC);
    const int lifeline = lifeline_fd();
    std::thread([=, stop = std::move(stop)] {
        stop(wait_for_reason(signals, lifeline));
        std::this_thread::sleep_for(std::chrono::seconds(hard_limit_s));
        ::_exit(124);
    }).detach();
}

void on_output_closed(std::function<void()> closed) {
    struct stat output {};
    if (::fstat(STDOUT_FILENO, &output) != 0 || !(S_ISFIFO(output.st_mode) || S_ISSOCK(output.st_mode))) return;
    std::thread([closed = std::move(closed)] {
        pollfd waiting{STDOUT_FILENO, 0, 0};  // no events: reports only errors and the other end's closing
        while (::poll(&waiting, 1, -1) <= 0) {}
        closed();
    }).detach();
}

}  // namespace divisi::process
