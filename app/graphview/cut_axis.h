// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace divisi::graphview {

/// Where the legal positions of cuts stand along the x axis of a view, for a view that lies above or below and is as
/// wide.
class CutAxis {
public:
    virtual ~CutAxis() = default;
    /// In pixels from the left edge of the view; ascending, and beyond the edges for what does not show.
    virtual double x_of_legal(std::int32_t legal) const = 0;
    /// The legal position nearest to `x`, or -1 where there is none.
    virtual std::int32_t legal_at(double x) const = 0;
};

}  // namespace divisi::graphview
