// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <functional>
#include <vector>

#include "app/graphview/placing/layout_notice.h"
#include "app/graphview/placing/layout_service.h"

namespace divisi::graphview {

/// Requests layouts for a view, and shows the user a message about a slow layout. A layout that arrives during a
/// gesture is shown after the gesture, so that nothing moves under the pointer.
class ScopeLayouts : public QObject {
    Q_OBJECT
public:
    /// `may_show` returns false during a gesture. `view` must outlive this object.
    ScopeLayouts(QWidget& view, std::function<bool()> may_show);

    /// Returns the service that makes the layouts. A large layout arrives some time after its request: see
    /// LayoutService::busy().
    LayoutService& service() { return service_; }
    /// Calls `show` with the layout; for a small or cached layout, before request() returns. `again` is called if the
    /// user cancels the request and later asks for the layout again.
    void request(const model::ModelPtr& model, std::vector<bool> open, LayoutService::Then show,
                 std::function<void()> again);
    /// Shows the layout that arrived during a gesture. Call it when the gesture has ended.
    void show_arrived();
    /// Drops the layout that arrived during a gesture.
    void forget_arrived() { arrived_ = nullptr; }
    /// Removes the message and the request, because the layout is shown.
    void finish();
    /// Drops the request and its message, since there is no model any more.
    void drop();
    /// Cancels the running request for the user, who can repeat it. `blank`: there is no older picture.
    void cancel(bool blank);

    /// Returns whether the message says that a layout is being made.
    bool shows_progress() const { return notice_->shows_progress(); }
    /// Moves the message to its position, after the size of the view has changed.
    void place_notice() { notice_->place(); }

Q_SIGNALS:
    void cancelRequested();
    /// The user has chosen the score view, because the layout takes too long.
    void scoreRequested();

private:
    std::function<bool()> may_show_;
    LayoutNotice* notice_;           ///< owned by the view
    std::function<void()> arrived_;  ///< shows a layout that arrived during a gesture
    std::function<void()> again_;    ///< requests again the last layout that was not shown
    LayoutService service_;          ///< declared last, so that it is destroyed before the receivers of its answers
};

}  // namespace divisi::graphview
