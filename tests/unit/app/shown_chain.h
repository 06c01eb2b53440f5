// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGraphicsView>

#include "app/graphview/diagram/graph_camera.h"
#include "app/model/documents/graph_document.h"
#include "tests/unit/app/sample_graphs.h"

namespace divisi::testing {

/// A fixture with a chain of operators on a canvas, all of them visible: block i of the layout is operator i.
struct ShownChain {
    model::GraphDocument document;
    graphview::GraphCanvas canvas;

    explicit ShownChain(model::Cuts cuts = {}, int length = 20) {
        const model::ModelPtr model = chain_model(length);
        document.set_model(model, std::move(cuts));
        const std::vector<bool> open(model->tree.blocks.size(), true);
        canvas.show(model.get(), std::make_shared<const graphview::Layout>(*model, open));
    }
    const std::vector<graphview::PlacedBlock>& blocks() const { return canvas.layout().blocks(); }
    /// Returns the segment of an operator in the document, painted or cut.
    std::int32_t segment_of(std::size_t node) const { return document.start_painting().segment_of[node]; }
};

/// Adds a view that is not on screen, with its camera.
struct ViewedChain : ShownChain {
    QGraphicsView view;
    graphview::GraphCamera camera{view, canvas, [] { return std::optional<QPointF>(); }};

    explicit ViewedChain(model::Cuts cuts = {}, int length = 20) : ShownChain(std::move(cuts), length) {
        view.resize(1000, 800);
        view.setSceneRect(canvas.layout().bounds().adjusted(-4000, -4000, 4000, 4000));
    }
};

}  // namespace divisi::testing
