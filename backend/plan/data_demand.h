// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <vector>

#include "backend/plan/interpreter.h"

namespace divisi::plan {

/// Decides which micro-batches a stage requests from the data instances: the next micro-batches of its program, as many
/// as the stage has tensor slots for. Holds no tensor and does no I/O.
class DataDemand {
public:
    struct Place {
        std::int64_t step = 0;
        std::int32_t microbatch = 0;
        auto operator<=>(const Place&) const = default;  // NOLINT(modernize-use-nullptr)
    };

    DataDemand(const Programs& programs, std::int32_t stage);

    /// Returns the channels from the data unit to the stage. A stage without such channels requests no data.
    const std::set<std::int32_t>& channels() const { return channels_; }
    /// Starts the requests. Nothing is requested earlier, because the length of an evaluation may be unknown until
    /// then.
    void begin(std::optional<std::int32_t> eval_microbatches);
    /// Records that a whole tensor arrived, or that its slot was freed. Ignores tensors that are not data of this
    /// stage.
    void arrived(const TensorKey& key);
    void released(const TensorKey& key);

    /// Returns the requested micro-batches that have not fully arrived, ascending.
    std::vector<Place> awaited() const;
    /// Returns whether awaited() changed since the last call of this function.
    bool take_changed() { return std::exchange(changed_, false); }

private:
    struct Asked {
        Place place;
        std::set<std::int32_t> missing, held;  ///< channels whose tensor has not arrived, and channels whose slot is
                                               ///< held
    };

    Asked* find(const TensorKey& key);
    void ask();
    void next();

    std::set<std::int32_t> channels_;
    RunLength length_;
    std::size_t slots_ = 0;
    bool begun_ = false, changed_ = false;
    Place next_;
    std::deque<Asked> asked_;
};

}  // namespace divisi::plan
