// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/cutting/split_controller.h"

#include "app/client/refusal_text.h"
#include "backend/search/layers.h"

namespace divisi::shell {

SplitController::SplitController(AppContext& context, GraphPage& page, panels::SplitPanel& panel, MessageBar& messages,
                                 QObject* parent)
    : QObject(parent),
      context_(context),
      page_(page),
      panel_(panel),
      messages_(messages),
      animation_(context.document) {
    connect(&panel_, &panels::SplitPanel::equalRequested, this, &SplitController::split_equally);
    connect(&panel_, &panels::SplitPanel::optimumRequested, this, &SplitController::optimize);
    connect(&panel_, &panels::SplitPanel::cutChosen, this, [this](int which) { page_.view().cut_focus().show(which); });
    connect(&panel_, &panels::SplitPanel::segmentChosen, this, [this](int segment) {
        page_.view().brush().choose(segment);
        page_.view().selection().select_segment(segment);
    });
    connect(&page_, &GraphPage::cutsRequested, this, &SplitController::back_to_cuts);
    connect(&context_.prices, &model::PriceBoard::searching, this,
            [this](int percent) { messages_.show_progress(tr("Looking for the fastest cuts: %1 %").arg(percent)); });
    connect(&context_.prices, &model::PriceBoard::searchEnded, &messages_, &MessageBar::end_progress);
    connect(&context_.prices, &model::PriceBoard::searchFailed, &messages_, &MessageBar::show_error);
    connect(&context_.prices, &model::PriceBoard::found, this, &SplitController::take_found);
    connect(&messages_, &MessageBar::cancelRequested, &context_.prices, &model::PriceBoard::cancel_search);
}

void SplitController::split_equally() {
    const Result<void> done = context_.document.split_equally(panel_.stages());
    if (!done.ok()) messages_.show_error(client::quoted(done.error()));
}

void SplitController::optimize() {
    if (!context_.document.model()) return;
    context_.opener.forget_split();
    if (panel_.stages() > 1) context_.prices.request_fastest(panel_.stages());
    else context_.document.clear_cuts();
}

void SplitController::back_to_cuts() {
    if (!context_.document.painting()) return;
    const bool all = context_.document.paint_to_cuts();
    page_.view().brush().set_painting(false);
    if (!all)
        messages_.show_error(
            tr("Cuts cannot represent interleaved segments, so these segments were joined. Undo "
               "restores them."));
}

void SplitController::take_found(const model::FoundCuts& found) {
    model::GraphDocument& document = context_.document;
    if (found.asked_by_task && document.split().as_in_task) return document.take_found({found.cuts});
    const auto& prices = context_.prices.prices();
    const bool as_many = found.cuts.size() == document.cuts().size();
    if (as_many && prices && prices->cuts == document.cuts() && prices->prediction.step_ms <= found.step_ms) {
        Q_EMIT context_.hint(
            tr("No faster plan with %Ln stages was found", nullptr, static_cast<int>(found.cuts.size()) + 1));
        return;
    }
    if (!as_many) {  // begin the animation with the same number of cuts, so that all cuts visibly move
        const model::LoadedModel& model = *document.model();
        const auto start =
            search::equal_flops(model.graph, model.cuts, model.cost, static_cast<std::int32_t>(found.cuts.size()) + 1);
        if (start.ok()) document.preview(*start);
    }
    animation_.go(found.cuts, tr("Optimize"));
}

}  // namespace divisi::shell

#include "moc_split_controller.cpp"
