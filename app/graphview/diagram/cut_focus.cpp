// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/diagram/cut_focus.h"

#include <algorithm>

#include "app/graphview/drawing/cut_overlay.h"

namespace divisi::graphview {

void CutFocus::focus(int which) {
    if (cut_ == which) return;
    cut_ = which;
    Q_EMIT changed(which);
    Q_EMIT hint(which < 0 ? QString() : cut_description(document_, static_cast<std::size_t>(which)));
}

CutLine CutFocus::line(int which) const {
    return canvas_.layout().cut_line(document_.position(document_.shown_cuts()[static_cast<std::size_t>(which)]));
}

void CutFocus::go_to(int which) {
    focus(which);
    if (canvas_.model()) camera_.ensure_visible(line(which));  // without a model, the graph has no picture yet
}

void CutFocus::show(int which) {
    if (which >= 0) return go_to(which);
    focus(which);
    camera_.go_to_end(true);
}

void CutFocus::next() {
    if (count() == 0) return;
    keyboard_.setFocus();
    go_to((cut_ + 1) % count());
}

void CutFocus::previous() {
    if (count() == 0) return;
    keyboard_.setFocus();
    go_to(cut_ <= 0 ? count() - 1 : cut_ - 1);
}

bool CutFocus::step(bool forwards) {
    const int to = forwards ? cut_ + 1 : (cut_ < 0 ? count() : cut_) - 1;
    const bool exists = to >= 0 && to < count();
    if (exists) go_to(to);
    else focus(-1);
    return exists;
}

void CutFocus::add(std::int32_t after) {
    const model::LoadedModel* model = canvas_.model();
    if (!model) return;
    document_.settle();
    std::int32_t legal = document_.best_new_cut();
    if (after >= 0) legal = model->cuts.nearest(model->tree.blocks[after].last);
    if (!document_.add_cut(legal)) {
        Q_EMIT hint(legal < 0 ? tr("This model has no legal cut left") : tr("A cut is already here"));
        return;
    }
    const auto& cuts = document_.cuts();
    keyboard_.setFocus();
    go_to(static_cast<int>(std::lower_bound(cuts.begin(), cuts.end(), legal) - cuts.begin()));
}

void CutFocus::remove() {
    if (cut_ >= 0) document_.remove_cut(static_cast<std::size_t>(cut_));
}

void CutFocus::move(std::int32_t by) {
    document_.settle();
    const auto which = static_cast<std::size_t>(cut_);
    if (which >= document_.cuts().size()) return;
    if (document_.move_cut(which, document_.cuts()[which] + by)) camera_.ensure_visible(line(cut_));
    else Q_EMIT hint(tr("No legal cut position beyond this one"));
}

void CutFocus::keep_within_cuts() {
    if (cut_ >= count()) focus(count() - 1);
}

void CutFocus::describe() {
    if (cut_ >= 0) Q_EMIT hint(cut_description(document_, static_cast<std::size_t>(cut_)));
}

std::optional<QPointF> CutFocus::point() const {
    if (cut_ < 0) return {};
    const CutLine at = line(cut_);
    return QPointF(at.snap_x.value_or(canvas_.layout().bounds().center().x()), at.left_y);
}

}  // namespace divisi::graphview

#include "moc_cut_focus.cpp"
