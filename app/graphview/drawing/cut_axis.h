// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace divisi::graphview {

/// Maps legal cut positions to the x axis of a view, for another view of the same width above or below it.
class CutAxis {
public:
    virtual ~CutAxis() = default;
    /// Returns the position in pixels from the left edge of the view. Positions ascend; invisible positions are beyond
    /// the edges.
    virtual double x_of_legal(std::int32_t legal) const = 0;
    /// Returns the legal position nearest to `x`; -1 if there is no legal position.
    virtual std::int32_t legal_at(double x) const = 0;
};

}  // namespace divisi::graphview
