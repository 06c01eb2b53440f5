// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSettings>
#include <QStackedWidget>
#include <QTableWidget>
#include <QTimer>
#include <QToolButton>
#include <QWidget>

#include "app/client/client.h"
#include "app/model/selection.h"
#include "app/topology/element_details.h"
#include "app/topology/mesh_map.h"

namespace divisi::topology {

/// The Topology view: the picture of the mesh with its legend, and beside it what is known of the selected element.
/// A path among that selects its links, one after the other, and is in bold while one of them is selected.
/// While it is seen it asks the cluster for its mesh twice a second. Where MICs and routers were dragged is kept in
/// the settings, by the cluster's name.
class TopologyPage : public QWidget {
    Q_OBJECT
public:
    TopologyPage(QSettings& settings, client::Client* client, QWidget* parent = nullptr);

    MeshMap& map() { return *map_; }
    /// Whose paths and instances are lit.
    void show_task(const TaskId& task);
    /// What is selected in the picture is the selection from now on, and the other way round: of a unit the instance
    /// that runs it.
    void use(model::Selection& selection);

    // Faults on purpose, for demonstrators: of the element that is selected. Where it is none of that kind, hint() says
    // what to do first.
    void cut_link();
    void slow_link();
    void kill_router();
    void heal_link();
    void heal_all();
    // Likewise of processes (topology_faults.cpp).
    void kill_instance();
    void kill_node();
    void pause_instance();
    /// Why no process of an element of this kind can be struck now, which must be selected; empty where one can.
    QString why_not_struck(Element::Kind kind) const;
    /// The cluster takes faults, and from this console.
    bool allows_faults() const;

Q_SIGNALS:
    void faultsAllowedChanged();
    void hint(const QString& text);

protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void build();
    void hold_ages();
    void change_time();
    QString why_empty() const;
    void take(const control::MeshState& mesh);
    void refresh();
    void show_picture(const client::ClusterData& data);
    void refresh_details();
    void refresh_legend();
    void mark_selected();
    const Element& detailed() const;
    bool is_marked(const Detail& detail) const;
    static QString link_tip();
    void select_link(int row);
    void show_details(bool show);
    /// What can be done with an element.
    void show_menu(const Element& element, const QPoint& global);
    void add_faults(QMenu& menu, const Element& element);
    void add_process_faults(QMenu& menu, const Element& element);
    void add_drain(QMenu& menu, const Element& element);  // topology_drain.cpp
    QString why_no_faults() const;
    std::string selected_sid() const;
    /// The link that is selected; null, and a hint, where none is.
    const LinkLook* selected_link(LinkName& name);
    void status_changed();
    void tell_faults();
    void arrange_anew();
    /// What is no longer in the cluster loses the place that was kept for it.
    void forget_left();
    void load_dragged();
    void save_dragged();
    QString settings_key() const;
    void retranslate();

    QSettings& settings_;
    client::Client* client_;
    MeshWatch watch_;
    /// Of a recording: the same moment by this process's clock, and what is shown.
    std::optional<std::pair<MeshWatch::Time, TimePoint>> held_;
    MeshParts parts_;
    /// What is seen live, put aside while a moment of the past is shown.
    std::optional<std::pair<MeshWatch, MeshParts>> aside_;
    TaskId task_;
    QString cluster_;  ///< whose parts and dragged places these are
    QStackedWidget* stack_;
    QLabel* empty_;
    MeshMap* map_;
    QWidget* details_;
    QLabel* details_title_;
    QTableWidget* details_rows_;
    QLabel* legend_;
    QToolButton* idle_;
    QPushButton *anew_, *forget_, *heal_all_;
    model::Selection* selection_ = nullptr;
    bool marking_ = false;   ///< what is selected in the picture now comes from the selection
    bool unmarked_ = false;  ///< a moment of the past may have taken the mark from what is selected
    std::vector<Detail> shown_details_;
    /// The device whose path a link was chosen by: it stays in the details until something else is selected.
    std::optional<Element> kept_;
    bool choosing_link_ = false;
    bool connected_ = false, allowed_ = false;
    QTimer tick_;
};

}  // namespace divisi::topology
