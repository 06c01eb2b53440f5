// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/docks/stage_rows.h"

#include <algorithm>

#include "app/model/documents/stage_range.h"

namespace divisi::shell {

namespace {

bool is_in_segment(const model::GraphDocument& document, const model::Block& block, std::int32_t segment) {
    if (const model::Painting* painting = document.shown_painting()) {
        for (graph::NodeIndex node = block.first; node <= block.last; ++node)
            if (painting->segment_of[static_cast<std::size_t>(node)] == segment) return true;
        return false;
    }
    const auto segment_of = [&](graph::NodeIndex node) {
        return std::ranges::count_if(document.shown_cuts(),
                                     [&](std::int32_t cut) { return document.position(cut) < node; });
    };
    return segment_of(block.first) <= segment && segment <= segment_of(block.last);
}

}  // namespace

std::vector<model::Selected> about_stage(const AppContext& context, std::int32_t stage) {
    std::vector<model::Selected> things;
    if (!context.shown || !context.shown->data().state.tasks.contains(context.followed())) return things;
    for (const control::InstanceView* one : control::instances_of(context.shown->data().state, context.followed()))
        if (one->stage == stage) things.push_back(model::Selected::of_instance(one->id, context.followed()));
    return things;
}

std::vector<model::Selected> about_segment(const AppContext& context, std::int32_t segment) {
    std::vector<model::Selected> things;
    const auto& in_force = context.recut.in_force();
    if (in_force && !context.document.shown_painting() && *in_force == context.document.cuts())
        things = about_stage(context, segment);
    const model::Selected& now = context.selection.current();
    const model::ModelPtr model = context.document.model();
    if (now.kind != model::Selected::Kind::model_block || !model) return things;
    const std::int32_t block = model::block_of_path(*model, now.id);
    if (block >= 0 && is_in_segment(context.document, model->tree.blocks[static_cast<std::size_t>(block)], segment))
        things.push_back(now);
    return things;
}

}  // namespace divisi::shell
