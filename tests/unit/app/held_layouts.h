// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSemaphore>
#include <atomic>

#include "app/graphview/layout_service.h"

namespace divisi::testing {

/// Holds every layout that a worker makes until the test lets it go on, or nobody wants it.
struct HeldLayouts {
    QSemaphore begun, open;
    std::atomic<int> cancelled = 0;

    /// For LayoutService::set_make(); this must outlive the service.
    graphview::LayoutService::Make make() {
        return [this](const model::LoadedModel& model, const std::vector<bool>& flags,
                      const graphview::Layout::Cancelled& unwanted) -> std::optional<graphview::Layout> {
            begun.release();
            while (!open.tryAcquire(1, 1)) {
                if (!unwanted()) continue;
                ++cancelled;
                return {};
            }
            return graphview::Layout::made(model, flags, unwanted);
        };
    }
};

}  // namespace divisi::testing
