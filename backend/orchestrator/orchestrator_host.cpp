// SPDX-License-Identifier: Apache-2.0
#include "backend/orchestrator/orchestrator_host.h"

#include <cstdio>

#include "backend/control/protocol/connection_messages.h"

namespace divisi::orchestrator {
namespace {

/// Interval at which deadlines are checked and loads are sent; ten updates per second are enough for a person.
constexpr Duration tick_interval = std::chrono::milliseconds(100);

/// Time for which events are kept in memory while another process holds the journal. After that, this process ends.
constexpr Duration longest_block = std::chrono::seconds(60);
constexpr Duration journal_retry = std::chrono::milliseconds(50);
/// Delay between the answer to a Shutdown and the end, so that the answer is sent.
constexpr Duration last_words = std::chrono::milliseconds(200);

void tell(const Result<void>& result) {
    if (!result) std::fprintf(stderr, "%s\n", result.error().message().c_str());
}

}  // namespace

OrchestratorHost::OrchestratorHost(link::Loop& loop, control::Journal& journal, Callbacks callbacks)
    : loop_(loop),
      journal_(journal),
      callbacks_(std::move(callbacks)),
      sockets_(
          loop, [this](const control::Input& input) { feed(input); }, callbacks_.ended),
      tick_timer_(loop),
      commit_timer_(loop),
      retry_timer_(loop),
      exit_timer_(loop),
      question_timer_(loop) {}

Result<std::vector<control::Finding>> OrchestratorHost::restore() {
    DIVISI_ASSIGN(control::Restored restored, journal_.restore());
    whole_ = restored.findings.empty();
    std::vector<control::Finding> findings = restored.findings;
    core_.restore(std::move(restored.state), std::move(restored.findings));
    return findings;
}

Result<void> OrchestratorHost::start(const std::string& name, const std::string& version, bool hold) {
    take(core_.start(name, version, loop_.now(), hold));
    commit();
    if (failure_) return *failure_;
    if (!whole_) save_state();  // the next start then does not report the unreadable entries again
    tick();
    return {};
}

void OrchestratorHost::tick() {
    tick_timer_.start(tick_interval, [this] { tick(); });
    feed(control::Tick{});
}

void OrchestratorHost::feed(const control::Input& input) {
    if (failure_) return;
    take(core_.step(input, loop_.now()));
    const auto due = core_.question_due();
    if (!due) return question_timer_.stop();
    if (!question_timer_.active()) question_timer_.start(*due - loop_.now(), [this] { feed(control::Tick{}); });
}

void OrchestratorHost::take(control::Output output) {
    events_.insert(events_.end(), std::make_move_iterator(output.events.begin()),
                   std::make_move_iterator(output.events.end()));
    outputs_.push_back(std::move(output));
    if (outputs_.size() == 1) commit_timer_.start(Duration(0), [this] { commit(); });
}

/// Makes events durable first, then carries out the actions. If the journal fails, no action is taken and the process
/// ends.
void OrchestratorHost::commit() {
    if (failure_ || outputs_.empty()) return;
    if (auto durable = make_durable(events_); !durable) {
        if (wait_for_journal(durable.error())) return;
        failure_ = durable.error();
        return callbacks_.over();
    }
    blocked_since_.reset();
    const std::vector<control::Event> events = std::exchange(events_, {});
    std::vector<control::Output> outputs = std::exchange(outputs_, {});
    callbacks_.logged(events);
    for (control::Output& output : outputs) carry_out(std::move(output));
    if (journal_.unsaved() >= journal_.interval() && outputs_.empty()) save_state();
}

/// Retries later if another process holds the journal. Divisi has only one writer of the journal, so the other process
/// is not part of Divisi; it may be a sqlite3 shell. Events wait until that process releases the journal. Peers are
/// still served.
bool OrchestratorHost::wait_for_journal(const Error& why) {
    if (why.code != ErrorCode::conflict) return false;
    const TimePoint now = loop_.now();
    if (!blocked_since_) {
        blocked_since_ = now;
        std::fprintf(stderr, "%s; waiting for up to %lld s\n", why.message().c_str(),
                     static_cast<long long>(longest_block / std::chrono::seconds(1)));
    }
    if (now - *blocked_since_ >= longest_block) return false;
    retry_timer_.start(journal_retry, [this] { commit(); });
    return true;
}

Result<void> OrchestratorHost::make_durable(std::span<const control::Event> events) {
    for (const control::Event& event : events) {
        const auto* submitted = get_if<control::TaskSubmitted>(&event.body);
        if (!submitted || submitted->skeleton.empty()) continue;
        const auto skeleton = core_.skeletons().find(submitted->task);
        if (skeleton == core_.skeletons().end()) continue;  // the task was forgotten in the same round
        DIVISI_TRY(callbacks_.keep_model(submitted->task, skeleton->second));
    }
    return journal_.append(events);
}

void OrchestratorHost::carry_out(control::Output output) {
    for (const TaskId& task : output.forgotten) callbacks_.drop_model(task);
    if (!output.lines.empty() && callbacks_.wrote) callbacks_.wrote(std::move(output.lines));
    for (control::Job& job : output.jobs) callbacks_.begin(std::move(job));
    for (const control::Send& send : output.sends) sockets_.send(send);
    for (const control::PeerId peer : output.closes) sockets_.close(peer);
    if (output.exit) exit_timer_.start(last_words, [this] { finish(); });
}

/// Saves the state so that the next start replays few events. The journal has all events, so a failed save is only
/// reported and tried again.
void OrchestratorHost::save_state() { tell(journal_.save()); }

void OrchestratorHost::end(const std::string& reason) {
    sockets_.send_all(control::Goodbye{reason});
    finish();
}

/// Makes pending events durable and saves the state, so that the next start has no events to replay.
void OrchestratorHost::finish() {
    commit();
    if (!failure_ && outputs_.empty() && journal_.unsaved() > 0) {
        tell(journal_.finish_saving());
        save_state();
    }
    tell(journal_.finish_saving());
    callbacks_.over();
}

}  // namespace divisi::orchestrator
