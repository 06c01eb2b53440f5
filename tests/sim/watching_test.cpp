// SPDX-License-Identifier: Apache-2.0

#include <deque>
#include <functional>
#include <random>

#include "backend/control/dispatch/orchestrator.h"
#include "backend/control/protocol/connection_messages.h"
#include "backend/control/protocol/node_messages.h"
#include "backend/control/protocol/state_messages.h"
#include "backend/control/protocol/subscription.h"
#include "tests/support/test_program.h"

namespace watching_test {

using namespace divisi;
using namespace divisi::control;
using std::chrono::milliseconds, std::chrono::seconds;

namespace {

/// Returns a whole state as text: equal texts for equal states.
std::string words(const ClusterState& state) {
    std::string all = state.name + std::to_string(state.sequence);
    for (const auto& [id, node] : state.nodes) all += id.value() + node.info.fingerprint + to_string(node.state);
    for (const auto& [key, entry] : state.keys) all += key + entry.name;
    for (const Event& event : state.recent) all += std::to_string(event.sequence) + describe(event.body);
    return all;
}

/// An orchestrator whose state takes several pages and changes all the time, and clients that watch it. The clients'
/// connections are slow, lose or corrupt pushes, and break.
class World {
public:
    explicit World(std::uint64_t seed) : random_(seed) {
        (void)core_.start("sim", "1", now_);
        for (int i = 0; i < 30; ++i) {
            nodes_.push_back(hello(Role::agent));
            change(i);
        }
        for (Watcher& watcher : watchers_) connect(watcher);
    }
    /// Runs `steps` steps of a few milliseconds each, with or without faults and changes.
    void run(int steps, bool faults, bool changes) {
        for (int i = 0; i < steps; ++i) {
            now_ += milliseconds(5);
            if (changes && chance(0.2)) change(static_cast<int>(random_() % nodes_.size()));
            for (Watcher& watcher : watchers_) step(watcher, faults);
        }
    }
    std::string differs() const {
        for (const Watcher& watcher : watchers_)
            if (words(watcher.state) != words(core_.state())) return "a client shows another state";
        return wrong_;
    }
    int mended() const { return mended_; }

private:
    struct Arriving {
        TimePoint time{};
        Send send;
    };
    struct Watcher {
        PeerId peer{};
        Subscription subscription;
        ClusterState state;
        std::deque<Arriving> arriving;
        std::uint64_t asked = 0;  ///< correlation of its last request
        std::optional<TimePoint> again;
    };

    bool chance(double p) { return std::uniform_real_distribution<>(0, 1)(random_) < p; }

    PeerId hello(Role role) {
        const PeerId peer(++last_peer_);
        carry_out(core_.step(PeerConnected{peer, {true, {}, "someone", ""}}, now_));
        carry_out(core_.step(Received{peer, 1, Hello{"sim", "1", role}}, now_));
        return peer;
    }
    /// Registers a node with a description of some 50 KB, so that the state takes several pages.
    void change(int node) {
        NodeInfo info;
        info.id = NodeId("m/n" + std::to_string(node));
        info.fingerprint = std::string(50'000, static_cast<char>('a' + random_() % 26));
        carry_out(core_.step(Received{nodes_[static_cast<std::size_t>(node)], 0, RegisterNode{info}}, now_));
    }
    void carry_out(const Output& output) {
        for (const Send& send : output.sends)
            for (Watcher& watcher : watchers_) {
                if (watcher.peer != send.peer) continue;
                const TimePoint last = watcher.arriving.empty() ? now_ : watcher.arriving.back().time;
                watcher.arriving.push_back({std::max(last, now_ + milliseconds(random_() % 200)), send});
            }
    }
    void connect(Watcher& watcher) {
        watcher.arriving.clear();
        watcher.again.reset();
        watcher.peer = hello(Role::viewer);
        watcher.arriving.clear();  // drops the welcome
        take(watcher, watcher.subscription.begin());
    }
    void take(Watcher& watcher, Subscription::Step step) {
        if (step.snapshot) watcher.state = std::move(step.snapshot->state);
        for (const Event& event : step.events) {
            if (event.sequence != watcher.state.sequence + 1) wrong_ = "a client received an event out of order";
            apply(watcher.state, event);
        }
        if (step.problem) {
            watcher.again = now_ + seconds(1);
            ++mended_;
        }
        if (step.request) carry_out(core_.step(Received{watcher.peer, ++watcher.asked + 100, *step.request}, now_));
    }
    void step(Watcher& watcher, bool faults) {
        if (watcher.again && now_ >= *watcher.again) {
            watcher.again.reset();
            take(watcher, watcher.subscription.begin());
        }
        if (faults && chance(0.001)) {
            carry_out(core_.step(PeerGone{watcher.peer}, now_));
            return connect(watcher);
        }
        while (!watcher.arriving.empty() && watcher.arriving.front().time <= now_) {
            const Send send = std::move(watcher.arriving.front().send);
            watcher.arriving.pop_front();
            if (const auto* push = get_if<EventPush>(&send.message)) {
                if (faults && chance(0.02)) continue;  // the message is lost
                if (faults && chance(0.02))
                    take(watcher, watcher.subscription.broken({ErrorCode::corrupt, "garbled", "", ""}));
                else take(watcher, watcher.subscription.pushed(push->events));
            } else if (send.correlation == watcher.asked + 100) {
                const auto* refused = get_if<Refused>(&send.message);
                take(watcher, watcher.subscription.answered(refused ? Result<Message>(refused->error) : send.message));
            }
        }
    }

    std::mt19937_64 random_;
    Orchestrator core_;
    TimePoint now_{seconds(1000)};
    std::uint64_t last_peer_ = 0;
    std::vector<PeerId> nodes_;
    std::vector<Watcher> watchers_{4};
    std::string wrong_;
    int mended_ = 0;
};

}  // namespace

/// Tests clients that watch. Under all faults of pushes, pages and connections, clients must show the orchestrator's
/// state.
class WatchingSimulation : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void clients_eventually_show_the_orchestrators_state();
};

void WatchingSimulation::clients_eventually_show_the_orchestrators_state() {
    int mended = 0;
    std::uint64_t first = 1, last = 30;
    if (qEnvironmentVariableIsSet("DIVISI_SEED")) first = last = qEnvironmentVariable("DIVISI_SEED").toULongLong();
    for (std::uint64_t seed = first; seed <= last; ++seed) {
        World world(seed);
        world.run(1000, true, true);
        world.run(500, false, true);
        world.run(1000, false, false);
        const std::string differs = world.differs();
        QVERIFY2(differs.empty(), ("seed " + std::to_string(seed) + ": " + differs).c_str());
        mended += world.mended();
    }
    QVERIFY2(first == last || mended > 100, "too few faults occurred for a meaningful test");
}

DIVISI_TEST(WatchingSimulation)

}  // namespace watching_test

#include "watching_test.moc"
