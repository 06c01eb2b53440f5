// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <functional>
#include <vector>

#include "app/graphview/diagram/block_selection.h"
#include "app/graphview/diagram/scope_layouts.h"

namespace divisi::graphview {

/// Opens and closes the scopes of a model, and shows the resulting layouts. A worker thread computes a large layout;
/// until it arrives, the old picture of the model remains usable.
class GraphScopes : public QObject {
    Q_OBJECT
public:
    /// See ScopeLayouts for `view` and `may_show`. All arguments must outlive this object.
    GraphScopes(GraphCanvas& canvas, GraphCamera& camera, BlockSelection& selection, QWidget& view,
                std::function<bool()> may_show);

    /// Returns the model of the picture; null until its layout is shown.
    const model::ModelPtr& model() const { return model_; }
    ScopeLayouts& layouts() { return layouts_; }

    bool is_open(std::int32_t block) const { return open_[static_cast<std::size_t>(block)]; }
    /// Returns whether a block of the BlockTree is visible in the picture, and not hidden inside a closed scope.
    bool shows(std::int32_t block) const;

    void toggle(std::int32_t block);
    void open_all();
    void close_all();
    /// Opens every scope around an operator and centres the operator.
    void reveal(graph::NodeIndex node);
    /// Cancels the running layout: the graph stays as it is.
    void cancel();

    /// Returns whether a model is another version of the current one.
    bool is_next_version(const model::ModelPtr& model) const;
    /// Shows the beginning of another model. The picture is empty until the layout has arrived, because the cuts of the
    /// new model do not fit the picture of the old one.
    void show_model(model::ModelPtr model);
    /// Shows the same model with other sizes. Zoom, position, open scopes and selection are kept.
    void show_version(model::ModelPtr model);
    /// Closes the model.
    void clear();

Q_SIGNALS:
    /// A new layout is shown. Its blocks have no colours yet.
    void shown();

private:
    void clear_picture();
    void lay_out(std::vector<bool> open, LayoutAnchor anchor, std::function<void()> then);
    void show_layout(const LayoutPtr& layout, const LayoutAnchor& anchor);
    void select_unless_chosen(std::int32_t block);
    void bring_to_middle(graph::NodeIndex node);
    LayoutAnchor top_anchor() const;

    GraphCanvas& canvas_;
    GraphCamera& camera_;
    BlockSelection& selection_;
    model::ModelPtr subject_;        ///< the document's model
    std::vector<bool> wanted_open_;  ///< open scopes of the last requested layout
    /// model of the picture: subject_, or null until its layout is shown; kept alive for the canvas
    model::ModelPtr model_;
    std::vector<bool> open_;     ///< scopes that are open in the picture
    bool chosen_since_ = false;  ///< whether the user has selected something since the pending layout was requested
    ScopeLayouts layouts_;       ///< declared last, so that it is destroyed before the members that arriving layouts
                                 ///< change
};

}  // namespace divisi::graphview
