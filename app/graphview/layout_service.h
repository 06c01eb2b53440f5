// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <functional>
#include <optional>
#include <vector>

#include "app/graphview/layout_cache.h"
#include "app/model/planning.h"

namespace divisi::graphview {

/// Makes the layouts of a view. What was shown lately comes from the cache and what is small is made where it is asked
/// for: the answer is there when ask() returns. All else is made by a worker thread, of which only the newest request
/// counts. Gone, it ends what is under way and waits for it, which takes less than a millisecond.
class LayoutService : public QObject {
    Q_OBJECT
public:
    /// A layout of more blocks, or of a model of more operators, is made by the worker. Up to here it takes about a
    /// millisecond.
    static constexpr std::size_t blocks_at_once = 2000;
    static constexpr std::int32_t operators_at_once = 20'000;

    using Then = std::function<void(const LayoutPtr& layout)>;
    /// Layout::made(), or what a test puts in its place. Runs in the worker thread.
    using Make = std::function<std::optional<Layout>(const model::LoadedModel&, const std::vector<bool>&,
                                                     const Layout::Cancelled&)>;

    explicit LayoutService(QObject* parent = nullptr) : QObject(parent), line_(beside_) {}

    /// `then` gets the layout of the model with these scopes open, in the GUI thread. What was asked before is dropped;
    /// the same once more goes on, for the newer `then`.
    void ask(const model::ModelPtr& model, std::vector<bool> open, Then then);
    /// Drops what is under way; no answer comes.
    void cancel();
    /// Whether the worker makes a layout that is still wanted.
    bool busy() const { return busy_; }
    /// Layouts that were made, not those out of the cache.
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
    QByteArray under_way_;  ///< the key of what the worker makes
    Then then_;
    bool busy_ = false;
    model::PlanningService beside_;
    model::PlanningLine line_;
};

}  // namespace divisi::graphview
