// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <vector>

#include "backend/plan/interpreter.h"

namespace divisi::plan {

/// Which micro-batches of the data a stage asks for where data instances are dealt: those that it consumes next, in
/// the order of its program, as many as it has tensor slots for. Holds no tensor and does no I/O.
class DataDemand {
public:
    struct Place {
        std::int64_t step = 0;
        std::int32_t microbatch = 0;
        auto operator<=>(const Place&) const = default;  // NOLINT(modernize-use-nullptr)
    };

    DataDemand(const Programs& programs, std::int32_t stage);

    /// Channels from the data unit to the stage; a stage without any asks for nothing.
    const std::set<std::int32_t>& channels() const { return channels_; }
    /// Until then it asks for nothing: how long an evaluation is may be known only now.
    void begin(std::optional<std::int32_t> eval_microbatches);
    /// A whole tensor has come, or its slot is free again; what is no data of this stage is passed over.
    void arrived(const TensorKey& key);
    void released(const TensorKey& key);

    /// Those that it waits for, ascending.
    std::vector<Place> awaited() const;
    /// Whether awaited() is another than at the last call of this.
    bool take_changed() { return std::exchange(changed_, false); }

private:
    struct Asked {
        Place place;
        std::set<std::int32_t> missing, held;  ///< channels
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
