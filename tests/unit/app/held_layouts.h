// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSemaphore>
#include <atomic>

#include "app/graphview/placing/layout_service.h"

namespace divisi::testing {

/// Holds every layout made by a worker until the test releases it or it is cancelled.
struct HeldLayouts {
    QSemaphore begun, open;
    std::atomic<int> cancelled = 0;

    /// Returns a function for LayoutService::set_make(). This object must outlive the service.
    graphview::LayoutService::Make make() {
        return [this](const model::LoadedModel& model, const std::vector<bool>& flags,
                      const graphview::Layout::Cancelled& unwanted) -> std::optional<graphview::Layout> {
            begun.release();
            while (!unwanted()) {
                if (!open.tryAcquire(1, 1)) continue;
                if (!unwanted()) return graphview::Layout::made(model, flags, unwanted);
                open.release();  // the test released the layout after this one
            }
            ++cancelled;
            return {};
        };
    }
};

}  // namespace divisi::testing
