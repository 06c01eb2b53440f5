// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/documents/cut_animation.h"

#include <algorithm>
#include <cmath>

namespace divisi::model {

namespace {

constexpr int duration_ms = 400;  ///< long enough for the user to follow each cut

}  // namespace

Cuts between(const Cuts& from, const Cuts& to, double share, std::int32_t legal_count) {
    Cuts cuts;
    for (std::size_t i = 0; i < from.size(); ++i) {
        const double at = from[i] + share * (to[i] - from[i]);
        const std::int32_t least = cuts.empty() ? 0 : cuts.back() + 1;
        const auto most = legal_count - static_cast<std::int32_t>(from.size() - i);
        cuts.push_back(std::clamp(static_cast<std::int32_t>(std::lround(at)), least, most));
    }
    return cuts;
}

CutAnimation::CutAnimation(GraphDocument& document, QObject* parent) : QVariantAnimation(parent), document_(document) {
    setDuration(duration_ms);
    setEasingCurve(QEasingCurve::InOutCubic);
    setStartValue(0.0);
    setEndValue(1.0);
    connect(this, &QAbstractAnimation::finished, this, &CutAnimation::finish);
    connect(&document_, &GraphDocument::settling, this, [this] {
        if (state() == Running) setCurrentTime(duration());
    });
}

void CutAnimation::go(Cuts to, const QString& text) {
    stop();
    from_ = shown_ = document_.shown_cuts();
    to_ = std::move(to);
    text_ = text;
    if (from_.size() == to_.size() && from_ != to_) return start();
    document_.preview(to_);
    document_.commit_preview(text_);
}

void CutAnimation::updateCurrentValue(const QVariant& value) {
    if (state() != Running) return;
    if (document_.shown_cuts() != shown_) return stop();  // the cuts were changed by something other than the animation
    shown_ = between(from_, to_, value.toDouble(), document_.legal_count());
    document_.preview(shown_);
}

void CutAnimation::finish() {
    if (document_.shown_cuts() != shown_) return;
    document_.preview(to_);
    document_.commit_preview(text_);
}

}  // namespace divisi::model

#include "moc_cut_animation.cpp"
