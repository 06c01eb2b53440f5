// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <functional>
#include <optional>
#include <vector>

#include "app/graphview/placing/layout_cache.h"
#include "app/model/estimates/planning.h"

namespace divisi::graphview {

/// Makes the layouts of a view. A cached layout, or a small one, is available as soon as ask() returns. All others are
/// made by a worker thread, and only the newest request counts. The destructor cancels a running layout and waits for
/// it, which takes less than a millisecond.
class LayoutService : public QObject {
    Q_OBJECT
public:
    /// Layouts with more blocks than this, or of models with more operators than this, are made by a worker. A smaller
    /// layout takes about a millisecond.
    static constexpr std::size_t blocks_at_once = 2000;
    static constexpr std::int32_t operators_at_once = 20'000;

    using Then = std::function<void(const LayoutPtr& layout)>;
    /// Layout::made(), or a test's substitute. Runs on the worker thread.
    using Make = std::function<std::optional<Layout>(const model::LoadedModel&, const std::vector<bool>&,
                                                     const Layout::Cancelled&)>;

    explicit LayoutService(QObject* parent = nullptr) : QObject(parent), line_(beside_) {}

    /// Makes the layout of the model with these scopes open, and calls `then` with it in the GUI thread. A previous
    /// request is dropped. If the same layout is requested again, its computation continues, and only the newer `then`
    /// is called.
    void ask(const model::ModelPtr& model, std::vector<bool> open, Then then);
    /// Cancels the running request; its callback is not called.
    void cancel();
    /// Returns whether the worker is making a layout that is still needed.
    bool busy() const { return busy_; }
    /// Returns the number of layouts made, without those from the cache.
    int made() const { return made_; }
    void set_make(Make make) { make_ = std::move(make); }

Q_SIGNALS:
    void busyChanged(bool busy);

private:
    LayoutPtr at_once(const QByteArray& key, const model::LoadedModel& model, const std::vector<bool>& open);
    void take(const QByteArray& key, const LayoutPtr& layout);
    void set_then(Then then);

    LayoutCache cache_;
    Make make_ = &Layout::made;
    int made_ = 0;
    QByteArray under_way_;  ///< key of the layout that the worker is making
    Then then_;
    bool busy_ = false;
    model::PlanningService beside_;
    model::PlanningLine line_;
};

}  // namespace divisi::graphview
