// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/client/record_fold.h"
#include "backend/control/types/service_types.h"
#include "backend/store/recording.h"

namespace divisi::client {

/// A time in a recording to which users may want to jump.
struct RecordingMark {
    enum class Kind {
        step,      ///< a task has completed a step
        recut,     ///< the plan of a running task was changed
        fault,     ///< fault injected on purpose
        incident,  ///< a task recovers or has failed permanently, or a node has ended
    };
    Kind kind = Kind::step;
    Duration at{};     ///< time since the start
    std::string text;  ///< the event's log line, or the ends of a faulty link; empty for a step
};

/// A recording, with the state that a client would have known at a chosen time. Uses no clock.
class RecordedCluster {
public:
    using Steady = std::chrono::steady_clock;

    /// Determines when all records are decoded for the first time, which takes seconds for a recording of an hour.
    enum class Scan {
        at_once,
        later,  ///< by calls of scan_on()
    };

    /// Opens a recording and reads the whole file once. Fails under the conditions of store::RecordingReader::open(),
    /// and also with `unsupported` for messages of another protocol.
    static Result<RecordedCluster> open(const std::filesystem::path& file, Scan scan = Scan::at_once);
    /// Checks whether open() would succeed, without decoding the content.
    static Result<void> check(const std::filesystem::path& file);

    const store::RecordingHeader& header() const { return reader_.header(); }
    TimePoint begin() const { return header().begun; }
    Duration length() const;
    store::RecordingEnd end() const { return reader_.end(); }
    Bytes lost() const { return reader_.lost(); }
    /// Returns the number of records that were skipped, because this program does not know or cannot read their
    /// messages.
    std::size_t unreadable() const { return unreadable_; }
    const std::vector<RecordingMark>& marks() const { return marks_; }
    /// Decodes at most `records` further records. Returns true when all are decoded; before that, unreadable(), marks()
    /// and log() are incomplete.
    bool scan_on(std::size_t records);

    /// Goes to a time by applying the records up to it. For an earlier time, restarts from a kept state and returns
    /// true. `zero` is the start's time on the steady clock, from which views compute ages.
    bool go(Duration to, Steady::time_point zero);
    /// Shifts all times of the steady clock, so that displayed ages do not grow while the recording is paused.
    void rebase(Steady::time_point zero) { fold_.rebase(zero); }
    Duration at() const { return at_; }

    const ClusterData& data() const { return fold_.data(); }
    /// Returns the last reported status; empty before the first.
    const std::optional<Status>& status() const { return fold_.status(); }
    const std::optional<control::MeshState>& mesh() const { return fold_.mesh(); }
    const std::optional<control::ModulesState>& modules() const { return fold_.modules(); }
    control::PoliciesState policies() const;
    /// Answers a log query as the orchestrator would, from the events up to the displayed time.
    control::LogPage log(const control::QueryLog& question) const;
    control::Signals signals_after(std::uint64_t number) const { return fold_.signal_messages().after(number); }
    control::ServiceChanges services(const control::WatchServices& question) const;
    /// Returns the gateways and routers that are registered according to the last mesh report.
    std::vector<control::ServiceDevice> registered_devices() const;
    /// Returns the tasks submitted from the recording console since the last call.
    std::vector<std::string> take_submitted() { return fold_.take_submitted(); }

private:
    /// The log line of a record that is an event.
    struct Line {
        std::size_t record = 0;
        std::uint64_t sequence = 0;
        const char* kind = "";  ///< name of the message kind: control::kind_name()
    };

    /// Progress of the scan.
    struct Scanned {
        std::size_t next = 0;    ///< index of the next record
        std::size_t faults = 0;  ///< number of faults in the last mesh report
        RecordDecoder decoder;   ///< decoder of the scan, separate from the decoder of go()
    };

    /// The data from which go() can continue at a time of the recording.
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

    std::size_t next_ = 0;  ///< index of the next record
    Duration at_{};
    RecordFold fold_;
    /// kept states, in ascending time; going back starts from the nearest earlier state
    std::vector<Kept> kept_;
};

}  // namespace divisi::client
