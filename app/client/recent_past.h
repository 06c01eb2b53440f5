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

/// What a console keeps of the past of a running cluster. One of four nodes tells some 8 KB/s while its mesh is looked
/// at, and 2 KB/s else; the states at the begin of stretches are as much again at most.
inline constexpr Bytes most_past_bytes = Bytes{64} << 20;

/// The last of what a client heard, as the records that a recording would have: stretches, each of which begins with
/// the whole state, so that the oldest can be forgotten and none is long to fold. The stretch that grows is in memory,
/// the others in a nameless file, or in memory where the disk takes no more. Knows no clock; times count from where its
/// user says. Not thread-safe.
class RecentPast {
public:
    /// Keeps so many bytes of records, but always the last stretch: at most twice the state and `most` / 8.
    /// `folder`: where the file is; empty: the system's temporary folder.
    explicit RecentPast(Bytes most = most_past_bytes, const QString& folder = {}) : most_(most), file_(folder) {}

    /// Forgets all, and begins with what is known at a moment; its mesh came so long before.
    void begin(Mail known, Duration at, Duration mesh_age = {});
    /// Takes what came next. What came with a clock that went back counts as come at the last time.
    void take(Mail mail, Duration at);

    /// The earliest moment that is kept; none where nothing is.
    std::optional<Duration> from() const;
    Bytes size() const;
    /// Of these, those that are in memory.
    Bytes memory_bytes() const;
    /// The cluster as it was known at a moment; null before from(). It has the last measurement of each instance and
    /// node, and no spans of steps. Valid until the next call of anything here.
    const RecordFold* at(Duration moment);
    /// No moment is asked for any more: frees what the last one took.
    void rest() { shown_.reset(); }

private:
    struct Stretch {
        std::uint64_t number = 0;
        Duration begin{};
        std::vector<store::Record> state;  ///< known at its begin; measurements at their own times
        std::vector<store::Record> after;
        Bytes state_bytes = 0, after_bytes = 0;
        std::vector<SpillFile::Place> pages = {};  ///< where both lie packed; empty while they are in memory
        Bytes bytes() const { return state_bytes + after_bytes; }
    };
    struct Records {
        std::vector<store::Record> state, after;
    };
    /// The moment that was asked for last: the next one is often a little later.
    struct Shown {
        explicit Shown(std::uint64_t of) : stretch(of) {}

        std::uint64_t stretch;  ///< its number
        std::size_t next = 0;   ///< of Stretch::after
        Duration at{};
        RecordFold fold;
        RecordDecoder decoder;
        Records read;  ///< of a stretch that lies in the file
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
