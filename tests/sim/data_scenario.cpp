// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "backend/link/data_port.h"
#include "tests/sim/process.h"
#include "tests/sim/scenario.h"
#include "tests/sim/stage_engine.h"

namespace divisi::sim {

using std::chrono::milliseconds, std::chrono::seconds;

namespace {

constexpr std::int32_t stages = 3;
constexpr std::uint64_t task = 7;
constexpr std::int64_t steps = 40;
/// From the moment when all stages are in a generation, or a fault is over, to the next step: dialling, a few slow
/// messages, and what the stages compute meanwhile.
constexpr Duration longest_stall = seconds(3);

/// One stage of a task, with no orchestrator above it.
class StageProcess final : public Process {
public:
    StageProcess(Surroundings around, std::int32_t stage, std::function<void(Generation, std::int64_t step)> done)
        : Process(around, {"stage-" + std::to_string(stage), "machine-" + std::to_string(stage)}),
          done_(std::move(done)),
          port_(loop_, sockets(), Sid(place_.process), 1, events()) {
        config_.task = task;
        config_.generation = 0;
        config_.stage = stage;
        config_.stages = stages;
        config_.steps = steps;
        config_.operation = milliseconds(5);
        endpoint_ = port_.listen("mem://" + place_.process).value();
    }
    const std::string& endpoint() const { return endpoint_; }
    void connect(const StageProcess& other) { port_.connect(Sid(other.place_.process), 1, other.endpoint_); }
    Generation generation() const { return config_.generation; }

    /// Drops what it did in the generation before and begins anew after `done` steps.
    void enter(Generation generation, std::int64_t done) {
        config_.generation = generation;
        config_.first = done + 1;
        port_.enter(task, generation);
        engine_.emplace(loop_, config_, outlet());
        engine_->start();
        watch().holds(place_.process, port_.unacknowledged(), 8);
    }

private:
    link::DataPort::Events events() {
        return {[this](const frame::TensorFrame& frame) {
                    if (engine_) engine_->deliver(frame);
                },
                [this](const frame::TensorKey& key) {
                    if (engine_ && key.generation == config_.generation) engine_->freed(key);
                },
                {}};
    }
    StageEngine::Outlet outlet() {
        return {[this](std::int32_t stage, frame::TensorFrame frame) {
                    const auto sent = port_.send(Sid("stage-" + std::to_string(stage)), std::move(frame));
                    if (!sent) watch().violate(place_.process + " cannot send: " + sent.error().message());
                },
                [this](const frame::TensorKey& key) { port_.release(key); },
                [this](std::int64_t step, float) { done_(config_.generation, step); }, [] {},
                [this](const std::string& what) { watch().violate(place_.process + ": " + what); }};
    }

    std::function<void(Generation, std::int64_t)> done_;
    link::DataPort port_;
    StageConfig config_;
    std::string endpoint_;
    std::optional<StageEngine> engine_;
};

/// Three stages whose generation rises now and then, each noticing that at a moment of its own.
class DataWorld {
public:
    explicit DataWorld(std::uint64_t seed) : world_(seed), network_(world_), watch_(world_, network_) {
        network_.weather({milliseconds(1), milliseconds(100), 0.05, 0.05, 0.1});
        for (std::int32_t i = 0; i < stages; ++i)
            stages_.push_back(std::make_unique<StageProcess>(
                Surroundings{world_, network_, watch_}, i,
                [this](Generation generation, std::int64_t step) { done(generation, step); }));
        for (const auto& one : stages_)
            for (const auto& other : stages_)
                if (one != other) one->connect(*other);
        raise();
    }

    Verdict run() {
        while (!watch_.violation() && generation_ < 6) {
            advance(world_.between(milliseconds(50), seconds(1)));
            if (world_.chance(0.3)) disturb();
            if (world_.chance(0.4)) raise();
        }
        network_.heal();
        while (!watch_.violation() && step_ < steps) advance(milliseconds(100));
        Verdict verdict;
        verdict.problem = watch_.violation().value_or("");
        verdict.faults = faults_;
        verdict.settled_s = to_ms(longest_) / 1000;
        return verdict;
    }

private:
    /// A new generation goes on after a step that is done; the stages hear of it one after the other.
    void raise() {
        ++generation_;
        ++faults_;
        const std::int64_t from = step_ = step_ > 3 ? step_ - 3 : 0;
        for (const auto& stage : stages_)
            world_.after(world_.between(Duration(1), milliseconds(300)),
                         [stage = stage.get(), generation = generation_, from] {
                             if (stage->generation() < generation) stage->enter(generation, from);
                         });
        grace_ = world_.now() + milliseconds(300);
    }
    void disturb() {
        ++faults_;
        const Duration away = world_.between(milliseconds(10), seconds(2));
        if (world_.chance(0.5)) {
            if (network_.break_one()) grace_ = std::max(grace_, world_.now());
            return;
        }
        network_.part("machine-0", "machine-1");
        world_.after(away, [this] { network_.heal(); });
        grace_ = std::max(grace_, world_.now() + away);
    }
    void done(Generation generation, std::int64_t step) {
        if (generation != generation_) return;
        if (step != step_ + 1)
            watch_.violate("step " + std::to_string(step) + " follows step " + std::to_string(step_));
        step_ = step;
        last_ = world_.now();
    }
    void advance(Duration duration) {
        const TimePoint until = world_.now() + duration;
        while (!watch_.violation() && world_.loop().run_next(until)) look();
        world_.loop().run_for(until - world_.now());
        look();
    }
    void look() {
        if (step_ >= steps) return;
        const Duration stall = world_.now() - std::max(last_, grace_);
        longest_ = std::max(longest_, stall);
        if (stall > longest_stall)
            watch_.violate("generation " + std::to_string(generation_) + " stands still after step " +
                           std::to_string(step_));
    }

    World world_;
    Network network_;
    Watch watch_;
    std::vector<std::unique_ptr<StageProcess>> stages_;
    Generation generation_ = 0;
    std::int64_t step_ = 0;
    std::size_t faults_ = 0;
    TimePoint last_{}, grace_{};
    Duration longest_{};
};

}  // namespace

Verdict generations(std::uint64_t seed) { return DataWorld(seed).run(); }

}  // namespace divisi::sim
