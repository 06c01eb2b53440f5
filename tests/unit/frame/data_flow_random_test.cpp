// SPDX-License-Identifier: Apache-2.0
// Tests chains of processes whose connections lose, duplicate, delay and reorder frames, while processes restart and
// generations rise. Some tensors are only offered: routers supply them, stay silent, or die half-way. For every seed,
// each tensor is delivered once per generation with its bytes, and none is missing.

#include <algorithm>

#include "tests/support/test_program.h"

#include "tests/unit/frame/flow_network.h"

namespace data_flow_random_test {

using namespace divisi;
using namespace divisi::frame;
using std::chrono::microseconds, std::chrono::milliseconds, std::chrono::seconds;

namespace {

constexpr std::uint64_t task = 42;
constexpr std::int64_t steps = 25;
constexpr std::size_t slots = 3, largest_tensor = 6 * min_chunk_bytes;

/// Returns the values that a producer sends as this tensor. A replay in another generation computes the same values.
graph::HostTensor values_of(std::uint32_t edge, std::int64_t step) {
    std::uint64_t state = mix(edge, static_cast<std::uint64_t>(step));
    std::vector<std::uint8_t> values(state % largest_tensor);
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i % 8 == 0) state = mix(state, i);
        values[i] = static_cast<std::uint8_t>(state >> (i % 8 * 8));
    }
    return graph::HostTensor::of(graph::DType::uint8, {static_cast<std::int64_t>(values.size())}, values);
}

/// One edge of the plan and the programs at its ends. The producer fills the slots; the consumer takes tensors in order
/// and frees their slots.
struct Edge {
    std::uint64_t producer = 0, consumer = 0;
    std::int64_t sent = 0, released = 0;        ///< counted by the producer
    std::int64_t consumed = 0;                  ///< counted by the consumer
    std::set<std::int64_t> waiting, delivered;  ///< state at the consumer, in its current generation
};

class Cluster {
public:
    explicit Cluster(std::uint64_t seed) : net_(seed), rng_(seed * 977 + 1) {
        net_.on_arrived = [this](std::uint64_t sid, const TensorFrame& frame) { arrived(sid, frame); };
        net_.on_released = [this](std::uint64_t sid, const TensorKey& key) { released(sid, key); };
        net_.on_declined = [this](std::uint64_t sid, const TensorKey& key) { declined(sid, key); };
        net_.supply = [this](const FrameHeader& offer) { return route(offer); };
        offers_ = below(101);
        net_.room = 1 + below(8);
        net_.faults.lost = 0.002 * static_cast<double>(below(100));
        net_.faults.doubled = 0.002 * static_cast<double>(below(100));
        net_.faults.slowest = microseconds(50 + (below(2) == 0 ? 0 : below(20'000)));
        count_ = 2 + below(3);
        for (std::uint64_t sid = 1; sid < count_; ++sid) {
            edges_.push_back({sid, sid + 1, 0, 0, 0, {}, {}});  // edge for activations
            edges_.push_back({sid + 1, sid, 0, 0, 0, {}, {}});  // edge for gradients
        }
        for (std::uint64_t sid = 1; sid <= count_; ++sid) start(sid);
        raise();
    }

    /// Injects some faults and then leaves time to finish. Returns the first error; empty if there is none.
    std::string run() {
        for (std::uint64_t i = 0, faults = below(6); i < faults; ++i) {
            net_.run_for(milliseconds(below(400)));
            fault();
        }
        const auto done = [&] {
            return !wrong_.empty() ||
                   (std::ranges::all_of(entered_, [&](const auto& e) { return e.second == generation_; }) &&
                    std::ranges::all_of(edges_,
                                        [](const Edge& e) { return e.consumed == steps && e.released == steps; }));
        };
        if (!net_.run_until(done, seconds(300)) && wrong_.empty()) wrong_ = "it stands still";
        net_.run_for(seconds(30));
        for (std::uint64_t sid = 1; sid <= count_ && wrong_.empty(); ++sid) {
            if (net_.flow(sid).unacknowledged() > 0) wrong_ = "a tensor is not acknowledged at the end";
            if (net_.flow(sid).partial_bytes() > 0) wrong_ = "a part of a tensor is left at the end";
        }
        return wrong_;
    }

private:
    std::uint64_t below(std::uint64_t bound) {
        return std::uniform_int_distribution<std::uint64_t>(0, bound - 1)(rng_);
    }

    void start(std::uint64_t sid) {
        net_.start({sid, ++incarnations_[sid]});
        entered_[sid] = 0;
        for (const std::uint64_t peer : {sid - 1, sid + 1})
            if (peer >= 1 && peer <= count_) net_.reach(sid, {peer, below(2) == 0 ? 0 : incarnations_[peer]});
    }

    void fault() {
        const std::uint64_t sid = 1 + below(count_), peer = sid == 1 ? 2 : sid - 1;
        switch (below(3)) {
            case 0: return raise();
            case 1:
                if (net_.runs(sid)) net_.connect(sid, peer);
                return;
            default: break;
        }
        net_.stop(sid);
        net_.after(milliseconds(below(1500)), [this, sid] { start(sid); });
        net_.after(milliseconds(1500), [this] { raise(); });
    }

    /// Returns all processes to a step that each process has consumed. The processes are notified at different times.
    void raise() {
        ++generation_;
        std::int64_t checkpoint = steps;
        for (const Edge& edge : edges_) checkpoint = std::min(checkpoint, edge.consumed);
        checkpoint = static_cast<std::int64_t>(below(static_cast<std::uint64_t>(checkpoint) + 1));
        for (std::uint64_t sid = 1; sid <= count_; ++sid)
            net_.after(milliseconds(below(200)),
                       [this, sid, generation = generation_, checkpoint] { enter(sid, generation, checkpoint); });
    }

    void enter(std::uint64_t sid, Generation generation, std::int64_t checkpoint) {
        if (!net_.runs(sid) || generation <= entered_[sid]) return;
        entered_[sid] = generation;
        net_.step(sid, flow::Enter{task, generation});
        for (std::uint32_t number = 0; number < edges_.size(); ++number) {
            Edge& edge = edges_[number];
            if (edge.consumer == sid) {
                edge.consumed = checkpoint;
                edge.waiting.clear();
                edge.delivered.clear();
            }
            if (edge.producer != sid) continue;
            edge.sent = edge.released = checkpoint;
            fill(number);
        }
    }

    void fill(std::uint32_t number) {
        Edge& edge = edges_[number];
        while (edge.sent < steps && edge.sent - edge.released < static_cast<std::int64_t>(slots)) {
            const TensorKey key{task, entered_[edge.producer], FrameKind::activation, number, ++edge.sent, 0};
            if (below(100) < offers_) net_.step(edge.producer, flow::Offer{edge.consumer, key, {}});
            else send(edge, key);
        }
        check(edge.producer);
    }
    void send(const Edge& edge, const TensorKey& key) {
        net_.step(edge.producer, flow::Send{edge.consumer, tensor_of(key)});
    }
    static TensorFrame tensor_of(const TensorKey& key) {
        TensorFrame frame;
        frame.key = key;
        frame.tensor = values_of(key.edge, key.step);
        return frame;
    }

    /// Lets the producer compute the tensor now, unless the producer has ended or changed its generation meanwhile.
    void declined(std::uint64_t sid, const TensorKey& key) {
        if (key.generation != entered_[sid]) return fail("an offer of another generation was declined");
        if (!declined_.insert({incarnations_[sid], key}).second) return fail("an offer was declined twice");
        net_.after(microseconds(below(30'000)), [this, sid, key, incarnation = incarnations_[sid]] {
            if (net_.runs(sid) && incarnations_[sid] == incarnation && entered_[sid] == key.generation)
                send(edges_.at(key.edge), key);
        });
    }
    /// Lets a router answer an offer with the tensor, or with a report that it does not have the tensor, or not at all.
    bool route(const FrameHeader& offer) {
        const std::uint64_t status = below(10);
        if (status < 3) return false;
        if (status == 3) return true;
        TensorFrame frame = tensor_of(offer.key);
        frame.key.kind = offer.about;
        frame.source = offer.source;
        frame.destination = offer.destination;
        const std::uint32_t count = chunk_count(static_cast<std::uint64_t>(frame.tensor.size_bytes), min_chunk_bytes);
        for (std::uint32_t i = 0; i < (status == 4 ? count / 2 : count); ++i)
            net_.after(microseconds(100 + i + (status == 5 ? below(3'000'000) : 0)), [this, frame, i] {
                net_.inject(frame.destination.sid, chunk_header(frame, i, min_chunk_bytes),
                            chunk_payload(frame, i, min_chunk_bytes));
            });
        if (status == 6) return true;  // the router's answer is lost
        FrameHeader answer = offer;
        answer.key.kind = FrameKind::supplied;
        std::swap(answer.source, answer.destination);
        net_.after(microseconds(50), [this, answer] { net_.inject(answer.destination.sid, answer); });
        return true;
    }

    void arrived(std::uint64_t sid, const TensorFrame& frame) {
        Edge& edge = edges_.at(frame.key.edge);
        if (edge.consumer != sid || frame.source.sid != edge.producer) return fail("a tensor reached a wrong instance");
        if (frame.key.generation != entered_[sid]) return fail("a tensor of another generation arrived");
        if (!edge.delivered.insert(frame.key.step).second) return fail("a tensor arrived twice in one generation");
        if (!std::ranges::equal(frame.tensor.bytes(), values_of(frame.key.edge, frame.key.step).bytes()))
            return fail("a tensor arrived with wrong bytes");
        edge.waiting.insert(frame.key.step);
        if (edge.waiting.size() > slots) return fail("more tensors wait than there are slots");
        check(sid);
        while (edge.waiting.erase(edge.consumed + 1) == 1) {
            TensorKey key = frame.key;
            key.step = ++edge.consumed;
            net_.after(microseconds(below(3000)), [this, sid, key] { net_.step(sid, flow::Release{key}); });
        }
    }

    void released(std::uint64_t sid, const TensorKey& key) {
        Edge& edge = edges_.at(key.edge);
        if (edge.producer != sid || key.generation != entered_[sid]) return fail("freed slot of another generation");
        if (key.step != ++edge.released) return fail("slots were freed out of order");
        fill(key.edge);
    }

    void check(std::uint64_t sid) {
        // Each neighbour has one incoming and one outgoing edge.
        if (net_.flow(sid).partial_bytes() > 2 * slots * largest_tensor) fail("partial tensors exceed their bound");
        if (net_.flow(sid).unacknowledged() > 2 * slots) fail("the unacknowledged tensors exceed their bound");
        if (!net_.seen(sid).refused.empty()) fail("refused: " + net_.seen(sid).refused[0].message());
    }
    void fail(const std::string& what) {
        if (wrong_.empty()) wrong_ = what;
    }

    FlowNetwork net_;
    std::mt19937_64 rng_;
    std::uint64_t count_ = 2;
    std::vector<Edge> edges_;
    std::map<std::uint64_t, Incarnation> incarnations_;
    std::map<std::uint64_t, Generation> entered_;
    Generation generation_ = 0;
    std::uint64_t offers_ = 0;  ///< percentage of the tensors that are offered
    std::set<std::pair<Incarnation, TensorKey>> declined_;
    std::string wrong_;
};

}  // namespace

class DataFlowRandomTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void every_tensor_is_delivered_once_a_generation();
};

void DataFlowRandomTest::every_tensor_is_delivered_once_a_generation() {
    const auto asked = qEnvironmentVariableIntValue("DIVISI_SEEDS");
    const std::uint64_t seeds = asked > 0 ? static_cast<std::uint64_t>(asked) : 150;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const std::string wrong = Cluster(seed).run();
        QVERIFY2(wrong.empty(), ("seed " + std::to_string(seed) + ": " + wrong).c_str());
    }
}

DIVISI_TEST(DataFlowRandomTest)

}  // namespace data_flow_random_test

#include "data_flow_random_test.moc"
