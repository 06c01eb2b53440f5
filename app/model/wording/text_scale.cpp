// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/wording/text_scale.h"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace divisi::model {

namespace {

std::atomic<double> scale_of_text{1};  // atomic, as workers also paint pictures of graphs

}  // namespace

double text_scale() { return scale_of_text.load(std::memory_order_relaxed); }

void set_text_scale(double scale) { scale_of_text.store(std::max(1.0, scale), std::memory_order_relaxed); }

int scaled_px(int usual) { return static_cast<int>(std::lround(scaled(usual))); }

}  // namespace divisi::model
