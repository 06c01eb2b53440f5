// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/scenario.h"
#include "tests/sim/stage_process.h"

namespace divisi::sim {

using std::chrono::milliseconds, std::chrono::seconds;

namespace {

constexpr std::int32_t stages = 3;
constexpr std::int64_t steps = 40;
/// Longest time to the next step after all stages have entered a generation or a fault is over. It covers connecting, a
/// few slow messages and the computation of the stages meanwhile.
constexpr Duration longest_stall = seconds(3);

StageConfig task() {
    StageConfig config;
    config.task = 7;
    config.stages = stages;
    config.steps = steps;
    config.operation = milliseconds(5);
    return config;
}

/// Returns whether the parts announce a new generation; InjectedBug::hellos_are_lost drops such parts. Excludes the
/// first generation, which is announced at the start.
bool tells_a_new_generation(const link::Parts& parts) {
    const auto header = frame::decode_header(parts.front().bytes);
    return header.ok() && header->key.kind == frame::FrameKind::hello && header->key.generation > 1;
}

/// Runs three stages whose generation rises at times. Each stage notices the new generation at a different time.
class DataWorld {
public:
    DataWorld(std::uint64_t seed, InjectedBug bug) : world_(seed), network_(world_), watch_(world_, network_) {
        if (bug == InjectedBug::hellos_are_lost) network_.lose(tells_a_new_generation);
        network_.weather({milliseconds(1), milliseconds(100), 0.05, 0.05, 0.1});
        for (std::int32_t i = 0; i < stages; ++i)
            stages_.push_back(std::make_unique<StageProcess>(
                Surroundings{world_, network_, watch_}, task(), i,
                [this](Generation generation, std::int64_t step) { progress_.done(generation, step); }));
        for (std::int32_t i = 0; i < stages; ++i)
            for (std::int32_t k = 0; k < stages; ++k)
                if (i != k) stage(i).connect(k, stage(k).endpoint());
        raise();
    }

    Verdict run() {
        while (!watch_.violation() && progress_.generation() < 6) {
            advance(world_.between(milliseconds(50), seconds(1)));
            if (world_.chance(0.3)) disturb();
            if (world_.chance(0.4)) raise();
        }
        network_.heal();
        while (!watch_.violation() && progress_.step() < steps) advance(milliseconds(100));
        Verdict verdict;
        verdict.problem = watch_.violation().value_or("");
        verdict.faults = faults_;
        verdict.settled_s = to_ms(progress_.longest()) / 1000;
        return verdict;
    }

private:
    StageProcess& stage(std::int32_t number) { return *stages_.at(static_cast<std::size_t>(number)); }

    /// Starts a new generation, which repeats up to three steps. The stages are notified of it at different times.
    void raise() {
        ++faults_;
        const std::int64_t step = progress_.step(), from = step > 3 ? step - 3 : 0;
        progress_.begin(progress_.generation() + 1, from);
        for (const auto& stage : stages_)
            world_.after(world_.between(Duration(1), milliseconds(300)),
                         [stage = stage.get(), generation = progress_.generation(), from] {
                             if (stage->generation() < generation) stage->enter(generation, from);
                         });
        progress_.excuse_until(world_.now() + milliseconds(300));
    }
    void disturb() {
        ++faults_;
        const Duration away = world_.between(milliseconds(10), seconds(2));
        if (world_.chance(0.5)) {
            if (network_.break_one()) progress_.excuse_until(world_.now());
            return;
        }
        network_.part("machine-0", "machine-1");
        world_.after(away, [this] { network_.heal(); });
        progress_.excuse_until(world_.now() + away);
    }
    void advance(Duration duration) {
        const TimePoint until = world_.now() + duration;
        while (!watch_.violation() && world_.loop().run_next(until)) poll();
        world_.loop().run_for(until - world_.now());
        poll();
    }
    void poll() {
        if (progress_.step() < steps) progress_.poll();
    }

    World world_;
    Network network_;
    Watch watch_;
    Progress progress_{world_, watch_, longest_stall};
    std::vector<std::unique_ptr<StageProcess>> stages_;
    std::size_t faults_ = 0;
};

}  // namespace

Verdict generations(std::uint64_t seed, InjectedBug bug) { return DataWorld(seed, bug).run(); }

}  // namespace divisi::sim
