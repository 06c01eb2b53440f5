// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <deque>
#include <optional>
#include <vector>

#include "app/client/record_fold.h"
#include "app/client/spill_file.h"
#include "backend/base/units.h"
#include "backend/store/recording.h"

namespace divisi::client {

/// Limit for the data that a console keeps of a running cluster's past. A cluster of four nodes reports about 8 KB/s
/// while its mesh is shown, and otherwise 2 KB/s. The states at the starts of stretches at most double these rates.
inline constexpr Bytes most_past_bytes = Bytes{64} << 20;

/// Keeps the most recent part of the data that a client received, as the records of a recording.
///
/// The records form stretches. Each stretch begins with the whole state, so that the oldest stretch can be dropped, and
/// a past state can be computed from one stretch. The growing stretch is in memory. The others are in a nameless file,
/// or in memory if the disk is full. Uses no clock: times count from an origin that the caller chooses. Not
/// thread-safe.
class RecentPast {
public:
    /// Keeps up to `most` bytes of records, but always the last stretch. A stretch is at most twice as large as its
    /// state, plus `most` / 8 bytes. `folder` is the folder of the file; empty: the system's temporary folder.
    explicit RecentPast(Bytes most = most_past_bytes, const QString& folder = {}) : most_(most), file_(folder) {}

    /// Forgets everything and restarts from the state known at `at`. `mesh_age` is the age of the mesh in `known`.
    void begin(Mail known, Duration at, Duration mesh_age = {});
    /// Takes the next mail. If the clock went back, the mail counts as received at the latest time so far.
    void take(Mail mail, Duration at);

    /// Returns the earliest kept time; empty if no data is kept.
    std::optional<Duration> from() const;
    Bytes size() const;
    /// Returns how many bytes of the kept data are in memory.
    Bytes memory_bytes() const;
    /// Returns the state of the cluster as known at a time; null before from(). The result has only the last
    /// measurement of each instance and node, and no spans of steps. Valid until the next call of any member.
    const RecordFold* at(Duration moment);
    /// Frees the memory that the last at() used, since no other time will be requested.
    void rest() { shown_.reset(); }

private:
    struct Stretch {
        std::uint64_t number = 0;
        Duration begin{};
        std::vector<store::Record> state;  ///< state at the stretch's start; measurements keep their own times
        std::vector<store::Record> after;
        Bytes state_bytes = 0, after_bytes = 0;
        /// pages in the spill file that hold `state` and `after`; empty while both are in memory
        std::vector<SpillFile::Place> pages = {};
        Bytes bytes() const { return state_bytes + after_bytes; }
    };
    struct Records {
        std::vector<store::Record> state, after;
    };
    /// The state at the last requested time. The next requested time is often slightly later.
    struct Shown {
        explicit Shown(std::uint64_t of) : stretch(of) {}

        std::uint64_t stretch;  ///< number of the stretch
        std::size_t next = 0;   ///< index of the next record in Stretch::after
        Duration at{};
        RecordFold fold;
        RecordDecoder decoder;
        Records read;  ///< records of a stretch that was in the file
    };

    void begin_stretch();
    void put_away(Stretch& stretch);
    std::optional<Records> read(const Stretch& stretch);
    const std::vector<store::Record>* records_of_shown(const Stretch& stretch);
    void forget(Stretch& stretch);
    void forget_all();
    void forget_oldest();
    Result<std::vector<store::Record>> known_now() const;
    static void fold(Shown& shown, const std::vector<store::Record>& records, std::size_t from, std::size_t to);

    Bytes most_;
    SpillFile file_;
    RecordFold now_;
    Duration last_{};
    std::uint64_t numbered_ = 0;
    std::deque<Stretch> stretches_;
    std::optional<Shown> shown_;
};

}  // namespace divisi::client
