// SPDX-License-Identifier: Apache-2.0
// Measures registrations as the orchestrator processes them: it updates the registry, the state and the event log, and
// writes the log to disk before it answers. All registrations in one iteration of the loop share one commit.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "backend/control/network/services.h"
#include "backend/control/state/incarnation.h"
#include "tests/bench/mesh/benches.h"
#include "tests/unit/mesh/registrations.h"
#include "tests/unit/store/log_events.h"

namespace divisi::bench {
namespace {

using namespace control;

constexpr std::size_t instances = 16'384, of_a_task = 32;
constexpr double least_per_s = 15'000;

void must(const Result<void>& result) {
    if (!result) std::exit((std::fprintf(stderr, "%s\n", result.error().message().c_str()), 1));
}

class Srd {
public:
    explicit Srd(const std::filesystem::path& file) {
        auto log = store::EventLog::open(file, tests::log_codec());
        must(log ? Result<void>() : log.error());
        log_ = std::move(*log);
        context_.set_time(tests::start);
        context_.follow([this](const Event& event) { services_.follow(event); });
        for (std::size_t i = 0; i < instances; i += of_a_task) place(TaskId("gpt-text-" + std::to_string(i)));
        commit();
    }
    /// Registers all services, with a commit after every `together` of them.
    void register_all(std::size_t together) {
        for (std::size_t i = 0; i < said_.size(); ++i) {
            const RegisterService message{said_[i]};
            services_.handle(Received{PeerId(i + 1), 1, {}}, message);
            services_.tell();
            if ((i + 1) % together == 0 || i + 1 == said_.size()) commit();
        }
        if (services_.registry().table().services() != instances || context_.state().services.size() != instances)
            std::exit((std::fprintf(stderr, "not all instances are registered\n"), 1));
    }
    std::size_t bytes_of_a_row() const {
        const auto bytes = wire::encode_event({1, {}, ServiceJoined{1, {said_[0], 1, false}}});
        return bytes ? bytes->size() : 0;
    }

private:
    void place(const TaskId& task) {
        TaskSubmitted submitted;
        submitted.task = task;
        context_.append(submitted);
        context_.append(PhaseChanged{task, TaskPhase::registration, ""});
        for (std::size_t i = 0; i < of_a_task; ++i) {
            said_.push_back(tests::instance(task.value() + "/stage-" + std::to_string(i) + "/0"));
            said_.back().input_schema = said_.back().output_schema = "float32[8,1024,768]";
            const InstanceId id = instance_of(said_.back().sid, 1);
            context_.append(InstancePlaced{task, id, said_.back().sid, said_.back().node, static_cast<int>(i), 1});
            context_.append(InstanceJoined{id, "process", "tcp://10.0.0.1:7700 tcp://10.0.0.1:7701", "key"});
        }
    }
    void commit() {
        must(log_->append(context_.output().events));
        context_.output() = {};
    }

    std::unique_ptr<store::EventLog> log_;
    OrchestratorContext context_{OrchestratorLimits{}};
    Services services_{context_};
    std::vector<mesh::Registration> said_;
};

/// Returns the seconds to write the same bytes in equally many pieces, each on disk before the next: the cost of the
/// disk alone.
double bare_s(const std::filesystem::path& file, std::size_t pieces, std::size_t bytes) {
    const int out = ::open(file.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
    const std::string piece(bytes, 'x');
    const double s = median_s([&] { must(::lseek(out, 0, SEEK_SET) == 0 ? Result<void>() : Error{}); },
                              [&] {
                                  for (std::size_t i = 0; i < pieces; ++i)
                                      if (::write(out, piece.data(), piece.size()) < 0 || ::fdatasync(out) != 0)
                                          std::exit((std::perror(file.c_str()), 1));
                              },
                              3);
    ::close(out);
    return s;
}

}  // namespace

int committed_bench(const Arguments&) {
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("divisi-bench-committed-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    std::printf("%zu instances register with a log on disk; medians\n", instances);
    std::printf("%9s %14s %20s %7s\n", "together", "a second", "the disk alone", "ratio");
    double best = 0;
    for (const std::size_t together : {16, 64, 256, 1024}) {
        std::unique_ptr<Srd> srd;
        int round = 0;
        const double s = median_s(
            [&] {
                srd.reset();
                srd = std::make_unique<Srd>(folder / (std::to_string(together) + "-" + std::to_string(++round)));
            },
            [&] { srd->register_all(together); }, 3);
        const double disk = bare_s(folder / "bare", instances / together, together * srd->bytes_of_a_row());
        const double count = static_cast<double>(instances);
        std::printf("%9zu %14.0f %20.0f %7.2f\n", together, count / s, count / disk, disk / s);
        best = std::max(best, count / s);
    }
    std::filesystem::remove_all(folder);
    if (best >= least_per_s) return 0;
    std::fprintf(stderr, "committing is slower than %.0f registrations a second\n", least_per_s);
    return 1;
}

}  // namespace divisi::bench
