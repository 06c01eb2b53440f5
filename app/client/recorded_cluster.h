// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/client/record_fold.h"
#include "backend/store/recording.h"

namespace divisi::client {

/// A moment of a recording that is worth going to.
struct RecordingMark {
    enum class Kind {
        step,      ///< of any task
        recut,     ///< a task's plan was changed while it ran
        fault,     ///< made on purpose
        incident,  ///< a task met a fault, or recovers from one
    };
    Kind kind = Kind::step;
    Duration at{};     ///< since the begin
    std::string text;  ///< the event's line; of a step empty
};

/// A recording, folded up to a moment of it, as a client would have known the cluster then. Knows no clock.
class RecordedCluster {
public:
    using Steady = std::chrono::steady_clock;

    /// When all records are decoded once, which takes seconds for an hour's.
    enum class Scan {
        at_once,
        later,  ///< by scan_on()
    };

    /// Reads through the whole file once. As store::RecordingReader::open(); `unsupported` too for messages of another
    /// protocol.
    static Result<RecordedCluster> open(const std::filesystem::path& file, Scan scan = Scan::at_once);
    /// Whether open() would, without decoding what is in it.
    static Result<void> check(const std::filesystem::path& file);

    const store::RecordingHeader& header() const { return reader_.header(); }
    TimePoint begin() const { return header().begun; }
    Duration length() const;
    store::RecordingEnd end() const { return reader_.end(); }
    Bytes lost() const { return reader_.lost(); }
    /// Records whose messages this program does not know or cannot read; they are left out.
    std::size_t unreadable() const { return unreadable_; }
    const std::vector<RecordingMark>& marks() const { return marks_; }
    /// Decodes so many records more; true once all are: before, unreadable(), marks() and log() know some only.
    bool scan_on(std::size_t records);

    /// Folds on up to a moment, or anew from a state that was kept where that is earlier. True where it began anew.
    /// `zero`: where the begin lies on the clock by which views count ages.
    bool go(Duration to, Steady::time_point zero);
    /// Moves all that is stamped with that clock, so that ages are those of the recording while it is held.
    void rebase(Steady::time_point zero) { fold_.rebase(zero); }
    Duration at() const { return at_; }

    const ClusterData& data() const { return fold_.data(); }
    /// As last told; none before the first.
    const std::optional<Status>& status() const { return fold_.status(); }
    const std::optional<control::MeshState>& mesh() const { return fold_.mesh(); }
    const std::optional<control::ModulesState>& modules() const { return fold_.modules(); }
    control::PoliciesState policies() const;
    /// As the orchestrator would answer, from the events up to the moment.
    control::LogPage log(const control::QueryLog& question) const;
    control::Signals signals_after(std::uint64_t number) const { return fold_.signal_messages().after(number); }
    control::ServiceChanges services(const control::WatchServices& question) const;
    /// Gateways and routers that are registered, as the mesh was last told.
    std::vector<control::ServiceDevice> registered_devices() const;
    /// Tasks that were submitted from the recording console, since the last call.
    std::vector<std::string> take_submitted() { return fold_.take_submitted(); }

private:
    /// Of a record that is an event.
    struct Line {
        std::size_t record = 0;
        std::uint64_t sequence = 0;
        const char* kind = "";  ///< control::kind_name()
    };

    /// How far the scan is.
    struct Scanned {
        std::size_t next = 0;    ///< record
        std::size_t faults = 0;  ///< of the mesh as last told
        RecordDecoder decoder;   ///< which has pages of its own
    };

    /// All that go() knows where a step of the recording ends.
    struct Kept {
        std::size_t next = 0;
        Duration at{};
        RecordDecoder decoder;
        RecordFold fold;
    };

    explicit RecordedCluster(store::RecordingReader reader) : reader_(std::move(reader)) {}
    static Result<void> check(const store::RecordingReader& reader, const std::filesystem::path& file);
    void keep();
    void scan_one();
    void mark(const control::Event& event, Duration at);
    Result<void> decode(std::size_t record, RecordDecoder& decoder, Mail& mail) const;
    void go_back(Duration to);
    bool passes(const control::QueryLog& question, const control::Event& event) const;

    store::RecordingReader reader_;
    RecordDecoder decoder_;
    std::vector<RecordingMark> marks_;
    std::vector<Line> lines_;
    std::size_t unreadable_ = 0;
    Scanned scanned_;

    std::size_t next_ = 0;  ///< record
    Duration at_{};
    RecordFold fold_;
    std::vector<Kept> kept_;  ///< in their order: to go back costs no more than to go on from one
};

}  // namespace divisi::client
