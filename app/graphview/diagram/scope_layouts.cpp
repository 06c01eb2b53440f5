// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/diagram/scope_layouts.h"

#include <utility>

namespace divisi::graphview {

ScopeLayouts::ScopeLayouts(QWidget& view, std::function<bool()> may_show)
    : may_show_(std::move(may_show)), notice_(new LayoutNotice(&view)) {
    connect(&service_, &LayoutService::busyChanged, this, [this](bool busy) {
        if (!busy) notice_->finish();
    });
    connect(notice_, &LayoutNotice::cancelRequested, this, [this, &view] {
        view.setFocus();  // the button with the focus is hidden, so move the focus
        Q_EMIT cancelRequested();
    });
    connect(notice_, &LayoutNotice::againRequested, this, [this, &view] {
        view.setFocus();
        if (again_) std::exchange(again_, nullptr)();
    });
    connect(notice_, &LayoutNotice::scoreRequested, this, &ScopeLayouts::scoreRequested);
}

void ScopeLayouts::request(const model::ModelPtr& model, std::vector<bool> open, LayoutService::Then show,
                           std::function<void()> again) {
    arrived_ = nullptr;
    again_ = std::move(again);
    service_.ask(model, std::move(open), [this, show = std::move(show)](const LayoutPtr& layout) {
        if (may_show_()) show(layout);
        else arrived_ = [show, layout] { show(layout); };
    });
    if (service_.busy()) notice_->begin(model->node_count());
}

void ScopeLayouts::show_arrived() {
    if (arrived_) std::exchange(arrived_, nullptr)();
}

void ScopeLayouts::finish() {
    again_ = nullptr;
    notice_->finish();
}

void ScopeLayouts::drop() {
    service_.cancel();
    notice_->finish();
}

void ScopeLayouts::cancel(bool blank) {
    service_.cancel();
    notice_->show_cancelled(blank);
}

}  // namespace divisi::graphview

#include "moc_scope_layouts.cpp"
