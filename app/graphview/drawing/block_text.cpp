// SPDX-License-Identifier: GPL-3.0-or-later
#include <QCoreApplication>

#include "app/graphview/drawing/graph_canvas.h"
#include "app/model/wording/text.h"

namespace divisi::graphview {

using namespace model;

namespace {

/// Provides the translation context of texts about blocks.
struct BlockText {
    Q_DECLARE_TR_FUNCTIONS(divisi::graphview::BlockText)
};

/// Returns the block's last output, whose shape the subtitle shows.
const graph::Value* main_output(const LoadedModel& model, const Block& block) {
    for (graph::NodeIndex node = block.last; node >= block.first; --node)
        for (const graph::ValueIndex output : model.graph.nodes[node].outputs)
            if (output != graph::no_value) return &model.graph.values[output];
    return nullptr;
}

QString row(const QString& name, const QString& value) {
    return QStringLiteral("<tr><td style='padding-right:12px'>%1</td><td>%2</td></tr>")
        .arg(name.toHtmlEscaped(), value.toHtmlEscaped());
}

}  // namespace

QString block_subtitle(const LoadedModel& model, const Block& block) {
    QStringList parts;
    if (!block.is_operator())
        parts << BlockText::tr("%Ln operators", nullptr, static_cast<int>(block.operator_count()));
    if (const graph::Value* output = main_output(model, block)) {
        const QString shape = shape_text(*output);
        if (!shape.isEmpty()) parts << shape;
    }
    const Flops work = model.work(block.first, block.last + 1);
    if (work > 0) parts << flops_text(work);
    return parts.join(QStringLiteral(" \u00b7 "));
}

QString block_tooltip(const LoadedModel& model, const Block& block) {
    const graph::NodeCost cost = model.cost.range(block.first, block.last + 1);
    QString rows;
    if (block.is_operator()) {
        const graph::Node& node = model.graph.nodes[block.first];
        rows += row(BlockText::tr("Operator"), QString::fromStdString(node.op_type));
        for (const graph::ValueIndex output : node.outputs) {
            if (output == graph::no_value) continue;
            rows += row(BlockText::tr("Output"), value_text(model.graph.values[output]));
        }
    } else {
        rows += row(BlockText::tr("Operators"), count_text(block.operator_count()));
    }
    rows += row(BlockText::tr("Forward"), flops_text(cost.forward_flops));
    rows += row(BlockText::tr("Backward"), flops_text(cost.input_gradient_flops + cost.weight_gradient_flops));
    if (cost.parameters > 0)
        rows += row(BlockText::tr("Parameters"), count_text(cost.parameters) + QStringLiteral(" \u00b7 ") +
                                                     bytes_text(static_cast<Bytes>(cost.parameter_bytes)));
    rows += row(BlockText::tr("Activations"), bytes_text(static_cast<Bytes>(cost.activation_bytes)));
    if (cost.open_nodes > 0)
        rows += row(BlockText::tr("Note"), BlockText::tr("some sizes are unknown and not counted"));
    return QStringLiteral("<b>%1</b><table>%2</table>").arg(QString::fromStdString(block.path).toHtmlEscaped(), rows);
}

}  // namespace divisi::graphview
