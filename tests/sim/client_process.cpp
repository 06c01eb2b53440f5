// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/client_process.h"

#include "backend/control/protocol/task_messages.h"

namespace divisi::sim {

using namespace control;

namespace {

constexpr Duration answer_deadline = std::chrono::seconds(20);
/// Deadline of a re-cut: it may have to wait for processes to start and for snapshots.
constexpr Duration recut_deadline = std::chrono::seconds(60);
constexpr Duration submit_again = std::chrono::seconds(1);

}  // namespace

ClientProcess::ClientProcess(Surroundings around, Place place, std::set<std::string> wishes,
                             std::function<void(const std::string& wish, const TaskId&)> promised)
    : Process(around, std::move(place)),
      promised_(std::move(promised)),
      client_(loop_, sockets(), orchestrator_address, hello("divisictl", Role::operate)),
      subscriber_(loop_, client_,
                  {[this](const Snapshot& snapshot) {
                       shown_ = snapshot.state;
                       watch().follows(shown_);
                   },
                   [this](const std::vector<Event>& events) {
                       for (const Event& event : events) {
                           watch().follows(shown_, event);
                           apply(shown_, event);
                       }
                   },
                   [](const Error&) {}}) {
    using Kind = link::ControlClient::State::Kind;
    client_.start(
        [this](const link::ControlClient::State& state) {
            const bool now = state.kind == Kind::connected;
            if (now == std::exchange(connected_, now)) return;
            if (now) subscriber_.begin();
            else subscriber_.pause();
        },
        [this](std::uint64_t, const Message& message) {
            if (const auto* push = get_if<EventPush>(&message)) subscriber_.pushed(*push);
        },
        [this](const Error& why) { subscriber_.broken(why); });
    for (const std::string& text : wishes) wish(text);
}

void ClientProcess::wish(const std::string& text) {
    if (wishes_.insert(text).second) later(text);
}

void ClientProcess::later(const std::string& text) {
    loop_.after(submit_again, [this, text] { submit(text); });
}

void ClientProcess::submit(const std::string& text) {
    if (!connected_) return later(text);
    SubmitTask task;
    task.text = text;
    client_.request(task, answer_deadline, [this, text](const Result<Message>& reply) {
        const auto* accepted = reply ? get_if<SubmitReply>(&*reply) : nullptr;
        if (!accepted) return later(text);
        watch().promised(accepted->task);
        wishes_.erase(text);
        promised_(text, accepted->task);
    });
}

void ClientProcess::stop(const TaskId& task) {
    if (connected_) client_.request(StopTask{task, "no longer needed"}, answer_deadline, [](const Result<Message>&) {});
}

bool ClientProcess::ask(Message message) {
    if (!connected_) return false;
    const auto* recut = get_if<Recut>(&message);
    const TaskId task = recut ? recut->task : TaskId();
    client_.request(std::move(message), recut_deadline, [this, task](const Result<Message>& reply) {
        if (const auto* done = reply ? get_if<RecutDone>(&*reply) : nullptr) watch().recut_promised(task, *done);
    });
    return true;
}

}  // namespace divisi::sim
