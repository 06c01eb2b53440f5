// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/cutting/inspector.h"

#include <QEvent>
#include <QVBoxLayout>
#include <algorithm>
#include <set>
#include <utility>

#include "app/model/wording/colours.h"
#include "app/model/wording/text.h"

namespace divisi::panels {

using model::bytes_text;
using model::count_text;
using model::flops_text;
using model::value_text;

namespace {

QString heading(const QString& text) {
    return QStringLiteral("<p style='margin:12px 0 4px 0'><b>%1</b></p>").arg(text.toHtmlEscaped());
}

QString row(const QString& name, const QString& value) {
    return QStringLiteral("<tr><td style='padding:1px 12px 1px 0' class='name'>%1</td><td>%2</td></tr>")
        .arg(name.toHtmlEscaped(), value.toHtmlEscaped());
}

QString table(const QString& rows) { return QStringLiteral("<table>%1</table>").arg(rows); }

}  // namespace

Inspector::Inspector(model::GraphDocument& document, QWidget* parent)
    : QWidget(parent), document_(document), text_(new QTextBrowser(this)) {
    text_->setFrameShape(QFrame::NoFrame);
    text_->setObjectName(QStringLiteral("inspectorText"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(8, 8, 8, 8);
    column->addWidget(text_);
    connect(&document_, &model::GraphDocument::modelChanged, this, [this] { show_block(-1); });
    connect(&document_, &model::GraphDocument::cutsChanged, this, &Inspector::refresh);
    refresh();
}

void Inspector::show_block(std::int32_t block) {
    block_ = block;
    refresh();
}

void Inspector::refresh() {
    const model::Colours& colours = model::colours_of(palette());
    text_->setAccessibleName(tr("Details of the selection"));
    const QString style = QStringLiteral(".name { color: %1; }").arg(colours.faint.name());
    QString html;
    if (!document_.model()) {
        const QString text = tr("Select an operator or a scope to see what it does and costs.");
        html = QStringLiteral("<p class='name'>%1</p>").arg(text);
    } else {
        html = block_ < 0 ? model_text() : block_text(document_.model()->tree.blocks[block_]);
    }
    // Skip an unchanged text, because this function is called at every move of a drag, and setting the text would reset
    // the scroll position.
    if (std::exchange(shown_, style + html) == style + html) return;
    text_->document()->setDefaultStyleSheet(style);
    text_->setHtml(html);
}

QString Inspector::model_text() const {
    const model::LoadedModel& model = *document_.model();
    const graph::NodeCost total = model.cost.total();
    QString rows = row(tr("Operators"), count_text(model.node_count())) +
                   row(tr("Legal cuts"), count_text(document_.legal_count())) +
                   row(tr("Parameters"), count_text(total.parameters)) +
                   row(tr("Weights"), bytes_text(static_cast<Bytes>(total.parameter_bytes))) +
                   row(tr("Forward"), flops_text(total.forward_flops)) +
                   row(tr("Backward"), flops_text(total.input_gradient_flops + total.weight_gradient_flops)) +
                   row(tr("Activations"), bytes_text(static_cast<Bytes>(total.activation_bytes)));
    if (total.open_nodes > 0) rows += row(tr("Note"), tr("some sizes are unknown and not counted"));
    QString inputs, outputs;
    for (const graph::ValueIndex input : model.graph.inputs)
        inputs += row(QString::fromStdString(model.graph.values[input].name), value_text(model.graph.values[input]));
    for (const graph::ValueIndex output : model.graph.outputs)
        outputs += row(QString::fromStdString(model.graph.values[output].name), value_text(model.graph.values[output]));
    return heading(model.source.title()) + table(rows) + heading(tr("Inputs")) + table(inputs) +
           heading(tr("Outputs")) + table(outputs);
}

QString Inspector::block_text(const model::Block& block) const {
    const model::LoadedModel& model = *document_.model();
    const graph::NodeCost cost = model.cost.range(block.first, block.last + 1);
    const auto& cuts = document_.shown_cuts();
    const auto segment_of = [&](graph::NodeIndex node) {
        return std::count_if(cuts.begin(), cuts.end(),
                             [&](std::int32_t cut) { return document_.position(cut) < node; }) +
               1;
    };
    const auto first = segment_of(block.first), last = segment_of(block.last);
    QString segments = first == last ? QString::number(first) : QStringLiteral("%1 \u2013 %2").arg(first).arg(last);
    if (const model::Painting* painting = document_.shown_painting()) {
        std::set<std::int32_t> painted;
        for (graph::NodeIndex node = block.first; node <= block.last; ++node)
            painted.insert(painting->segment_of[node]);
        QStringList numbers;
        for (const std::int32_t segment : painted) numbers << QString::number(segment + 1);
        segments = numbers.join(QStringLiteral(", "));
    }
    QString rows = row(tr("Segment"), segments);
    if (!block.is_operator()) rows += row(tr("Operators"), count_text(block.operator_count()));
    rows += row(tr("Forward"), flops_text(cost.forward_flops));
    rows += row(tr("Backward"), flops_text(cost.input_gradient_flops + cost.weight_gradient_flops));
    if (const Flops total = model.total_work(); total > 0)
        rows += row(tr("Share of work"), model::percent(model::LoadedModel::work_of(cost) / total));
    if (cost.parameters > 0) rows += row(tr("Parameters"), count_text(cost.parameters));
    rows += row(tr("Activations"), bytes_text(static_cast<Bytes>(cost.activation_bytes)));
    QString text = heading(QString::fromStdString(block.path)) + table(rows);
    if (block.is_operator()) text += operator_text(model.graph.nodes[block.first]);
    return text;
}

QString Inspector::operator_text(const graph::Node& node) const {
    const graph::Graph& graph = document_.model()->graph;
    QString inputs, outputs, attributes;
    for (const graph::ValueIndex input : node.inputs)
        if (input != graph::no_value)
            inputs += row(QString::fromStdString(graph.values[input].name), value_text(graph.values[input]));
    for (const graph::ValueIndex output : node.outputs)
        if (output != graph::no_value)
            outputs += row(QString::fromStdString(graph.values[output].name), value_text(graph.values[output]));
    for (const auto& [name, value] : node.attributes) {
        QString text = QStringLiteral("\u2026");
        if (const auto* integer = get_if<std::int64_t>(&value)) text = QString::number(*integer);
        if (const auto* number = get_if<float>(&value)) text = model::figure_text(double{*number}, 6);
        if (const auto* word = get_if<std::string>(&value)) text = QString::fromStdString(*word);
        if (const auto* list = get_if<std::vector<std::int64_t>>(&value)) {
            QStringList parts;
            for (const std::int64_t part : *list) parts << QString::number(part);
            text = parts.join(QStringLiteral(", "));
        }
        attributes += row(QString::fromStdString(name), text);
    }
    QString text = heading(tr("Operator")) + table(row(tr("Type"), QString::fromStdString(node.op_type)));
    if (!inputs.isEmpty()) text += heading(tr("Inputs")) + table(inputs);
    if (!outputs.isEmpty()) text += heading(tr("Outputs")) + table(outputs);
    if (!attributes.isEmpty()) text += heading(tr("Attributes")) + table(attributes);
    return text;
}

void Inspector::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange || event->type() == QEvent::PaletteChange) refresh();
    QWidget::changeEvent(event);
}

}  // namespace divisi::panels

#include "moc_inspector.cpp"
